# AMP for C. On a fresh Debian: `make run` builds and runs the matrix multiplication, `make check` runs every test.
#
#   make                      install what is missing (Debian packages), configure, build; LLVM=19 builds with LLVM 19
#   make run                  ... and run samples/matmul.c
#   make check                ... and run all tests
#   make check-llvm LLVM=19   ... and run those that another LLVM may change
#   make test T=NAME          ... one test: a file such as tests/run/scale.c, or a name from `ctest --test-dir build -N`
#   make format               mend the layout of the sources: formatting, and lines of text that are too long
#   make fuzz N=1000          ... and compare that many random kernels with plain C; SEED=... seeds the first one
#   make fuzz ON=cuda:0       ... on that accelerator; IN=cpp: with kernels in C++ AMP
#   make fuzz IN=footprints   ... what random boxes of random kernels touch with what the compiler says of it
#   make conformance SUITE=F  ... and run the official conformance suite of C++ AMP, of which F is a copy; S=3 runs a
#                             section, T=NAME the tests whose names contain it, AGAIN=1 also what failed before
#   make bench                ... and measure, beside the peers that are installed; tables in bench/results;
#                             K=NAME: one kernel, or all of a group, as K=compile, or K=checked: `checked` and `cpu`
#   make bench-gpu            ... and measure on a GPU, beside nvcc's and cuBLAS's code where they are installed
#   make docs                 build the documentation, a site with search, in build/docs/site
#   make install PREFIX=/usr  ... and install (DESTDIR too)
#   make dist                 write a tarball of the last commit, the same bytes each time: build/amp-VERSION.tar.gz
#   make deb                  make Debian packages of the last commit in build/deb, and check them with lintian
#   make deb-test             ... and install, use and remove them in a bare Debian
#   make clean                remove the build folder

LLVM   ?= 22
BUILD  ?= $(if $(filter 22,$(LLVM)),build,build-$(LLVM))
PREFIX ?= /usr/local
CTEST   = ctest --test-dir $(BUILD) --output-on-failure -j$(shell nproc)

build: $(BUILD)/build.ninja
	cmake --build $(BUILD)
$(BUILD)/build.ninja: | packages
	cmake -G Ninja -S . -B $(BUILD) -DAMP_LLVM_VERSION=$(LLVM)
packages:
	@cmake/packages.sh $(LLVM) cmake/packages.txt
packages-check:
	@cmake/packages.sh $(LLVM) cmake/packages-check.txt --optional
run: build
	cmake --build $(BUILD) --target sample-matmul
	$(BUILD)/samples/matmul -M 768 -N 768 -W 768
check: packages-check $(BUILD)/build.ninja
	cmake $(BUILD) # finds what has just been installed, such as MPI
	cmake --build $(BUILD)
	cmake --build $(BUILD) --target tests
	$(CTEST)
check-llvm: build
	cmake --build $(BUILD) --target llvm-tests
	AMP_LEVELS=native AMP_MPI= LIT_FILTER_OUT='ranks/|docs/|checked/programs|gpu-assembles' $(CTEST) -LE any-llvm
test: build
	cmake --build $(BUILD) --target $(if $(wildcard $(T)),llvm-tests,tests)
	$(if $(wildcard $(T)),AMP_BUILD=$(BUILD) $(BUILD)/lit -v $(T),$(CTEST) -V -R '$(T)')
format: packages
	tests/format.py --fix .
fuzz: build
	tests/fuzz/$(if $(filter footprints,$(IN)),boxes,fuzz).py --build $(BUILD) -n $(or $(N),1000) --seed $(or $(SEED),1) \
	    $(if $(filter footprints,$(IN)),,--on $(or $(ON),cpu) $(if $(IN),--$(IN)))
conformance: build
	cmake --build $(BUILD) --target fake_cuda_static
	nice tests/conformance/conformance.py $(SUITE) --build $(BUILD) $(if $(S),--section $(S)) $(if $(T),--test '$(T)') \
	    $(if $(AGAIN),--again) --report docs/conformance.md
bench: build
	@cmake/packages.sh $(LLVM) cmake/packages-bench.txt --optional
	K='$(K)' cmake --build $(BUILD) --target bench
bench-gpu: build
	K='$(K)' cmake --build $(BUILD) --target bench-gpu
docs: packages
	@cmake/packages.sh $(LLVM) cmake/packages-docs.txt
	python3 docs/site/build.py . $(BUILD)/docs
	@echo "read it with: python3 -m http.server -d $(BUILD)/docs/site"
install: build
	cmake --install $(BUILD) --prefix $(PREFIX)
dist:
	packaging/dist.sh $(BUILD)
deb: packages
	@cmake/packages.sh $(LLVM) cmake/packages-docs.txt
	@cmake/packages.sh $(LLVM) cmake/packages-deb.txt
	packaging/deb.sh $(LLVM) $(BUILD)/deb
deb-test: deb
	tests/install/packages.sh $(BUILD)/deb
clean:
	rm -rf $(BUILD)

.PHONY: build packages packages-check run check check-llvm test format fuzz conformance bench bench-gpu docs install
.PHONY: dist deb deb-test clean
