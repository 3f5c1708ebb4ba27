/* SPDX-License-Identifier: MIT
 *
 * A part of <amp.h>: accelerator and accelerator_view, where launches run, and futures, which say when they end. */
#pragma GCC system_header

namespace Concurrency
{

class completion_future
{
  public:
    completion_future() : future_(nullptr)
    {
    }
    completion_future(const completion_future &other)
        : future_(other.future_ ? amp_future_retain(other.future_) : nullptr)
    {
    }
    completion_future(completion_future &&other) noexcept : future_(other.future_)
    {
        other.future_ = nullptr;
    }
    ~completion_future()
    {
        amp_future_release(future_);
    }
    completion_future &operator=(completion_future other) noexcept
    {
        std::swap(future_, other.future_);
        return *this;
    }

    bool valid() const
    {
        return future_ != nullptr;
    }
    void wait() const
    {
        (void)amp_future_wait(handle());
    }
    void get() const
    {
        amp_status status = amp_future_wait(handle());
        if (status != AMP_OK)
            amp__detail::fail(status);
    }
#ifndef AMP__LIGHT
    template <class _Rep, class _Period>
    std::future_status wait_for(const std::chrono::duration<_Rep, _Period> &time) const
    {
        double seconds = std::chrono::duration<double>(time).count();
        return amp_future_wait_for(handle(), seconds) ? std::future_status::ready : std::future_status::timeout;
    }
    template <class _Clock, class _Duration>
    std::future_status wait_until(const std::chrono::time_point<_Clock, _Duration> &time) const
    {
        return wait_for(time - _Clock::now());
    }
    operator std::shared_future<void>() const
    {
        completion_future self(*this);
        return std::async(std::launch::deferred, [self] { self.get(); }).share();
    }
#endif
    template <typename _Functor> void then(const _Functor &functor) const
    {
        owner<_Functor> copy = {new _Functor(functor)};
        amp__detail::check(amp_future_then(handle(), call<_Functor>, copy.functor));
        copy.functor = nullptr;
    }

    /* For this header. */
    static completion_future amp__of(amp_future *future)
    {
        completion_future result;
        result.future_ = amp__detail::made(future);
        return result;
    }

  private:
    amp_future *handle() const
    {
#ifdef AMP__LIGHT
        const int no_state = 3;
        if (!future_)
            std::__throw_future_error(no_state);
#else
        if (!future_)
            throw std::future_error(std::future_errc::no_state);
#endif
        return future_;
    }
    template <typename _Functor> struct owner {
        _Functor *functor;
        ~owner()
        {
            delete functor;
        }
    };
    template <typename _Functor> static void call(amp_status, void *user)
    {
        owner<_Functor> owned = {static_cast<_Functor *>(user)};
        (*owned.functor)();
    }

    amp_future *future_;
};

/* ------------------------------------------------------------------ accelerators ---- */

class accelerator_view;

namespace amp__detail
{

[[noreturn]] inline void fail_on_host()
{
    throw runtime_exception("concurrency::parallel_for_each is not supported on the selected accelerator \"CPU "
                            "accelerator\". L\"cpu\" runs no kernels; L\"simd\" does",
                            (HRESULT)0x80004005);
}

/* Whether the default accelerator is the model's L"cpu". */
inline bool &default_host()
{
    static bool is_host;
    return is_host;
}
inline bool default_is_host()
{
    return __atomic_load_n(&default_host(), __ATOMIC_SEQ_CST);
}

/* What accelerators have in common: data of a template may be defined in a header, and its functions are compiled only
 * where they are used. */
template <typename _Tp> struct accelerators {
    static const wchar_t default_accelerator[], cpu_accelerator[], simd_accelerator[], direct3d_ref[], direct3d_warp[];
    static sequence<_Tp> get_all()
    {
        sequence<_Tp> all;
        for (int i = 0; i < amp_accelerator_count(); i++) {
            amp_accelerator *handle = amp_accelerator_get(i);
            if (std::string("null") != amp_accelerator_info(handle)->path)
                all.push_back(_Tp(handle, false));
        }
        all.push_back(_Tp(std::wstring(cpu_accelerator)));
        return all;
    }
};
template <typename _Tp> const wchar_t accelerators<_Tp>::default_accelerator[] = L"default";
template <typename _Tp> const wchar_t accelerators<_Tp>::cpu_accelerator[] = L"cpu";
template <typename _Tp> const wchar_t accelerators<_Tp>::simd_accelerator[] = L"simd";
template <typename _Tp> const wchar_t accelerators<_Tp>::direct3d_ref[] = L"direct3d\\ref";
template <typename _Tp> const wchar_t accelerators<_Tp>::direct3d_warp[] = L"direct3d\\warp";

} // namespace amp__detail

/* A device. L"cpu" is the model's accelerator of that name, host memory that runs no kernels; the one that computes on
 * the processor is L"simd". Those of Direct3D do not exist: an object of one differs from all others, knows its path,
 * and throws when it is used. */
class accelerator : public amp__detail::accelerators<accelerator>
{
  public:
    accelerator() : accelerator(std::wstring(default_accelerator))
    {
    }
    explicit accelerator(const std::wstring &path)
        : accelerator_(is_of_direct3d(path) ? nullptr : find(path)),
          is_host_(path == cpu_accelerator || (path == default_accelerator && amp__detail::default_is_host()))
    {
        if (!accelerator_)
            direct3d_ = path;
    }

    bool operator==(const accelerator &other) const
    {
        return accelerator_ == other.accelerator_ && is_host_ == other.is_host_ && direct3d_ == other.direct3d_;
    }
    bool operator!=(const accelerator &other) const
    {
        return !(*this == other);
    }

    static bool set_default(const std::wstring &path)
    {
        if (is_of_direct3d(path))
            return false;
        amp_accelerator *handle = find(path);
        bool good = amp_accelerator_set_default(amp_accelerator_info(handle)->path) == AMP_OK;
        amp_error_clear();
        if (good)
            __atomic_store_n(&amp__detail::default_host(), path == cpu_accelerator, __ATOMIC_SEQ_CST);
        return good;
    }
    inline static accelerator_view get_auto_selection_view();
    inline accelerator_view get_default_view() const;
    inline accelerator_view create_view(queuing_mode mode = queuing_mode_automatic);
    bool set_default_cpu_access_type(access_type access)
    {
        bool good = amp_accelerator_set_default_cpu_access_type(handle(), (amp_access_type)access) == AMP_OK;
        amp_error_clear();
        return good;
    }

    std::wstring get_device_path() const
    {
        if (!accelerator_)
            return direct3d_;
        std::string path = info().path;
        return is_host_ ? cpu_accelerator : path == "cpu" ? simd_accelerator : amp__detail::widen(path.c_str());
    }
    std::wstring get_description() const
    {
        return is_host_ ? L"CPU accelerator" : amp__detail::widen(info().description);
    }
    unsigned get_version() const
    {
        return info().version;
    }
    bool get_has_display() const
    {
        return info().has_display;
    }
    bool get_is_debug() const
    {
        return info().is_debug;
    }
    bool get_is_emulated() const
    {
        return is_host_ || info().is_emulated;
    }
    bool get_supports_double_precision() const
    {
        return info().supports_double_precision;
    }
    bool get_supports_limited_double_precision() const
    {
        return info().supports_limited_double_precision;
    }
    bool get_supports_cpu_shared_memory() const
    {
        return info().supports_cpu_shared_memory;
    }
    std::size_t get_dedicated_memory() const
    {
        return (std::size_t)(info().dedicated_memory_bytes / 1024);
    }
    access_type get_default_cpu_access_type() const
    {
        return (access_type)info().default_cpu_access_type;
    }
    AMP__PROPERTY(std::wstring, device_path);
    AMP__PROPERTY(std::wstring, description);
    AMP__PROPERTY(unsigned, version);
    AMP__PROPERTY(bool, has_display);
    AMP__PROPERTY(bool, is_debug);
    AMP__PROPERTY(bool, is_emulated);
    AMP__PROPERTY(bool, supports_double_precision);
    AMP__PROPERTY(bool, supports_limited_double_precision);
    AMP__PROPERTY(bool, supports_cpu_shared_memory);
    AMP__PROPERTY(std::size_t, dedicated_memory);
    AMP__PROPERTY(access_type, default_cpu_access_type);
    AMP__PROPERTY(accelerator_view, default_view);

  private:
    friend class accelerator_view;
    friend struct amp__detail::accelerators<accelerator>;
    accelerator(amp_accelerator *handle, bool is_host) : accelerator_(handle), is_host_(is_host)
    {
    }
    static bool is_of_direct3d(const std::wstring &path)
    {
        return path == direct3d_ref || path == direct3d_warp;
    }
    static amp_accelerator *find(const std::wstring &path)
    {
        std::string name = amp__detail::narrow(path);
        return amp__detail::made(name == "default" ? amp_accelerator_default() : amp_accelerator_find(name.c_str()));
    }
    amp_accelerator *handle() const
    {
        if (!accelerator_)
            throw runtime_exception(
                ("there is no accelerator \"" + amp__detail::narrow(direct3d_) + "\"; Direct3D exists on Windows alone")
                    .c_str(),
                (HRESULT)0x80004005);
        return accelerator_;
    }
    const amp_accelerator_properties &info() const
    {
        return *amp_accelerator_info(handle());
    }

    amp_accelerator *accelerator_; /* NULL: one of Direct3D */
    bool is_host_;                 /* the model's L"cpu" */
    std::wstring direct3d_;        /* the path of one of Direct3D */
};

class accelerator_view
{
  public:
    accelerator_view(const accelerator_view &other)
        : view_(amp_accelerator_view_retain(other.view_)), is_host_(other.is_host_)
    {
    }
    ~accelerator_view()
    {
        amp_accelerator_view_release(view_);
    }
    accelerator_view &operator=(const accelerator_view &other) &
    {
        amp_accelerator_view_retain(other.view_);
        amp_accelerator_view_release(view_);
        view_ = other.view_;
        is_host_ = other.is_host_;
        return *this;
    }
    bool operator==(const accelerator_view &other) const
    {
        return view_ == other.view_ && is_host_ == other.is_host_;
    }
    bool operator!=(const accelerator_view &other) const
    {
        return !(*this == other);
    }

    concurrency::accelerator get_accelerator() const
    {
        amp_accelerator *handle = info().accelerator;
        return concurrency::accelerator(handle ? handle : amp__detail::made(amp_accelerator_default()), is_host_);
    }
    concurrency::queuing_mode get_queuing_mode() const
    {
        return (concurrency::queuing_mode)info().queuing_mode;
    }
    unsigned get_version() const
    {
        return get_accelerator().get_version();
    }
    bool get_is_debug() const
    {
        return get_accelerator().get_is_debug();
    }
    bool get_is_auto_selection() const
    {
        return info().accelerator == nullptr;
    }
    AMP__PROPERTY(concurrency::accelerator, accelerator);
    AMP__PROPERTY(concurrency::queuing_mode, queuing_mode);
    AMP__PROPERTY(unsigned, version);
    AMP__PROPERTY(bool, is_debug);
    AMP__PROPERTY(bool, is_auto_selection);

    void flush() const
    {
        amp__detail::check(amp_accelerator_view_flush(view_));
    }
    void wait() const
    {
        amp__detail::check(amp_accelerator_view_wait(view_));
    }
    completion_future create_marker() const
    {
        return completion_future::amp__of(amp_accelerator_view_create_marker(view_));
    }

    /* For this header: takes over a reference; and the view that may run kernels. */
    static accelerator_view amp__of(amp_accelerator_view *view, bool is_host)
    {
        return accelerator_view(amp__detail::made(view), is_host);
    }
    amp_accelerator_view *amp__handle() const
    {
        return view_;
    }
    amp_accelerator_view *amp__that_computes() const
    {
        if (is_host_)
            amp__detail::fail_on_host();
        return view_;
    }
    bool amp__is_host() const
    {
        return is_host_;
    }

  private:
    accelerator_view(amp_accelerator_view *view, bool is_host) : view_(view), is_host_(is_host)
    {
    }
    const amp_accelerator_view_properties &info() const
    {
        return *amp_accelerator_view_info(view_);
    }

    amp_accelerator_view *view_;
    bool is_host_;
};

inline accelerator_view accelerator::get_auto_selection_view()
{
    return accelerator_view::amp__of(amp_accelerator_view_retain(amp_accelerator_auto_selection_view()), false);
}
inline accelerator_view accelerator::get_default_view() const
{
    return accelerator_view::amp__of(amp_accelerator_view_retain(amp_accelerator_default_view(handle())), is_host_);
}
inline accelerator_view accelerator::create_view(queuing_mode mode)
{
    return accelerator_view::amp__of(amp_accelerator_create_view(handle(), (amp_queuing_mode)mode), is_host_);
}

} // namespace Concurrency
