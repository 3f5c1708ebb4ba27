# SPDX-License-Identifier: MIT
# The compiler's tests, for lit: `lit -v tests/run/NAME.c` runs one. AMP_BUILD names the build folder (default: build).
import json
import os
import platform
import shutil
import subprocess

import lit.formats

root = os.path.dirname(config.test_source_root or os.path.dirname(os.path.abspath(__file__)))
build = os.path.join(root, os.environ.get("AMP_BUILD", "build"))

# tools.txt is written by tests/CMakeLists.txt: NAME=VALUE lines.
with open(os.path.join(build, "tests", "tools.txt")) as lines:
    tools = dict(line.rstrip("\n").split("=", 1) for line in lines)

config.name = "amp"
config.test_format = lit.formats.ShTest(execute_external=False)
config.test_source_root = os.path.join(root, "tests")
config.test_exec_root = os.path.join(build, "tests", "lit")
config.suffixes = [".c", ".cpp", ".test"]
config.excludes = ["runtime", "install", "fuzz", "coverage", "conformance", "Inputs", "CMakeLists.txt"]

# %run also runs programs on GPUs. AMP_GPUS says on which; empty: none.
found = json.loads(subprocess.check_output([os.path.join(build, "bin", "amp"), "info", "--json"]))
gpus = [a["path"] for a in found["accelerators"] if a["path"].startswith("cuda:")]
gpus = os.environ.get("AMP_GPUS", " ".join(gpus)).split()
config.environment["AMP_GPUS"] = " ".join(gpus)
config.environment["AMP_GPU_COMMAND"] = os.environ.get("AMP_GPU_COMMAND", "")


def runs_ranks(mpi):
    """Whether there is a plugin for this MPI, and its mpirun works here."""
    if not os.path.exists(os.path.join(build, "lib", f"libamp-{mpi}.so")) or not shutil.which("mpirun." + mpi):
        return False
    tried = subprocess.run([os.path.join(root, "tests", "run-ranks.sh"), mpi, "2", "true"], stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT)
    if tried.returncode:
        lit_config.note(f"no ranks of {mpi} here: " + " ".join(tried.stdout.decode(errors="replace").split())[:500])
    return tried.returncode == 0


mpis = [mpi for mpi in ("openmpi", "mpich") if runs_ranks(mpi)]
config.environment["AMP_MPI"] = os.environ.get("AMP_MPI", "openmpi" if "openmpi" in mpis else "")
config.available_features.update(mpis)
config.environment["AMP_RANKS"] = os.environ.get("AMP_RANKS", "3")
config.environment["AMP_PARTS"] = os.environ.get("AMP_PARTS", "3")
config.environment["AMP_TEST_FOOTPRINTS"] = os.environ.get("AMP_TEST_FOOTPRINTS", "")
if gpus:
    config.available_features.add("cuda")
else:
    lit_config.note("nothing runs on a GPU: " + (", ".join(found["missing"]) or "AMP_GPUS is empty"))

config.environment["PATH"] = os.pathsep.join([tools["LLVM_TOOLS"], os.environ["PATH"]])

run = os.path.join(root, "tests", "run-levels.sh")  # runs a program at each ISA level; alone, it lists them
config.substitutions += [
    ("%ampcc", os.path.join(build, "bin", "ampcc")),
    ("%clang", tools["CLANG"]),
    ("%run-ranks", os.path.join(root, "tests", "run-ranks.sh")),  # these come first: the last is a part of them
    ("%run-alone", "env AMP_MPI= " + run),
    ("%run-cpu", "env AMP_GPUS= AMP_MPI= AMP_PARTS= " + run),
    ("%run-native", "env AMP_GPUS= AMP_MPI= AMP_PARTS= AMP_LEVELS=native " + run),
    ("%run", run),
    ("%root", root),
    ("%build", build),
]
if os.path.exists("/usr/include/CL/cl.h") and os.path.isdir("/etc/OpenCL/vendors"):
    config.available_features.add("opencl")
config.available_features.add("llvm" + tools["LLVM_VERSION"])
config.available_features.add(platform.machine())
for tool in "gcc", "groff", "mkdocs", "nvcc", "ptxas":
    if shutil.which(tool):
        config.available_features.add(tool)
config.available_features.update(subprocess.check_output([run]).decode().split())
try:
    for end in os.openpty():
        os.close(end)
    config.available_features.add("terminal")
except OSError:
    lit_config.note("no pseudo terminals here: tests of the progress line are skipped")
