/* SPDX-License-Identifier: MIT
 *
 * A part of <amp.h>: the exceptions of the model, which errors of libamp become. */
#pragma GCC system_header

namespace Concurrency
{

class runtime_exception : public std::exception
{
  public:
    runtime_exception(const char *message, HRESULT code) : message_(message), code_(code)
    {
    }
    explicit runtime_exception(HRESULT code) : code_(code)
    {
    }
    const char *what() const noexcept override
    {
        return message_.c_str();
    }
    HRESULT get_error_code() const noexcept
    {
        return code_;
    }

  private:
    std::string message_;
    HRESULT code_;
};

class out_of_memory : public runtime_exception
{
  public:
    explicit out_of_memory(const char *message) : runtime_exception(message, (HRESULT)0x8007000e)
    {
    }
    out_of_memory() : out_of_memory("")
    {
    }
};

class accelerator_view_removed : public runtime_exception
{
  public:
    accelerator_view_removed(const char *message, HRESULT reason)
        : runtime_exception(message, (HRESULT)0x887a0005), reason_(reason)
    {
    }
    explicit accelerator_view_removed(HRESULT reason) : accelerator_view_removed("", reason)
    {
    }
    HRESULT get_view_removed_reason() const noexcept
    {
        return reason_;
    }

  private:
    HRESULT reason_;
};

class invalid_compute_domain : public runtime_exception
{
  public:
    explicit invalid_compute_domain(const char *message) : runtime_exception(message, (HRESULT)0x80070057)
    {
    }
    invalid_compute_domain() : invalid_compute_domain("")
    {
    }
};

class unsupported_feature : public runtime_exception
{
  public:
    explicit unsupported_feature(const char *message) : runtime_exception(message, (HRESULT)0x80004001)
    {
    }
    unsupported_feature() : unsupported_feature("")
    {
    }
};

class uninitialized_object : public runtime_exception
{
  public:
    explicit uninitialized_object(const char *message) : runtime_exception(message, (HRESULT)0x80070057)
    {
    }
    uninitialized_object() : uninitialized_object("")
    {
    }
};

namespace amp__detail
{

/* The standard vector, which need not be defined yet. */
template <typename _Tp> using sequence = std::vector<_Tp, std::allocator<_Tp>>;

/* Elements that stay where they are in memory, for what would take a sequence of them. */
template <typename _Tp> struct borrowed {
    const _Tp *first;
    const _Tp *data() const
    {
        return first;
    }
};

/* Throws the exception for a status of libamp, with the text of the thread's error. */
[[noreturn]] inline void fail(amp_status status)
{
    const char *text = amp__error_in_cpp(status);
    switch (status) {
    case AMP_ERROR_OUT_OF_MEMORY:
        throw out_of_memory(text);
    case AMP_ERROR_INVALID_COMPUTE_DOMAIN:
        throw invalid_compute_domain(text);
    case AMP_ERROR_UNSUPPORTED_FEATURE:
    case AMP_ERROR_NO_KERNEL:
        throw unsupported_feature(text);
    case AMP_ERROR_ACCELERATOR_VIEW_REMOVED:
        throw accelerator_view_removed(text, (HRESULT)0x887a0007);
    default:
        throw runtime_exception(text, (HRESULT)0x80004005);
    }
}

inline void check(amp_status status)
{
    if (status != AMP_OK)
        fail(status);
}

/* A handle that a call has returned. */
template <typename _Hp> _Hp *made(_Hp *handle)
{
    if (!handle)
        fail(amp_error_status());
    return handle;
}

inline std::wstring widen(const char *text)
{
    std::wstring wide;
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        int more = *c < 0x80 ? 0 : *c < 0xe0 ? 1 : *c < 0xf0 ? 2 : 3;
        unsigned long code = more ? *c & (0x3fu >> more) : *c;
        for (c++; more > 0 && *c; more--, c++)
            code = code << 6 | (*c & 0x3f);
        wide += (wchar_t)code;
    }
    return wide;
}

/* Sends what is written to std::wcout through std::cout, in UTF-8: C++ AMP programs use both, which Linux's standard
 * output does not allow. */
class wide_output : public std::wstreambuf
{
  public:
    static void install()
    {
        static wide_output output(std::wcout, std::cout), error(std::wcerr, std::cerr);
        (void)output;
        (void)error;
    }

  protected:
    int_type overflow(int_type c) override
    {
        unsigned long code = (unsigned long)c;
        if (traits_type::eq_int_type(c, traits_type::eof()))
            return traits_type::not_eof(c);
        char text[4];
        int n = 0;
        if (code < 0x80) {
            text[n++] = (char)code;
        } else {
            int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
            text[n++] = (char)((0xf00 >> more & 0xff) | code >> 6 * more);
            while (more-- > 0)
                text[n++] = (char)(0x80 | (code >> 6 * more & 0x3f));
        }
        return to_.rdbuf()->sputn(text, n) == n ? c : traits_type::eof();
    }
    int sync() override
    {
        return to_.rdbuf()->pubsync();
    }

  private:
    wide_output(std::wostream &from, std::ostream &to) : from_(from), to_(to), before_(from.rdbuf(this))
    {
    }
    ~wide_output() override
    {
        from_.rdbuf(before_);
    }

    std::wostream &from_;
    std::ostream &to_;
    std::wstreambuf *before_;
};
static const bool has_wide_output = (wide_output::install(), true);

inline std::string narrow(const std::wstring &wide)
{
    std::string text;
    for (wchar_t c : wide)
        text += c < 0x80 ? (char)c : '?';
    return text;
}

} // namespace amp__detail

} // namespace Concurrency
