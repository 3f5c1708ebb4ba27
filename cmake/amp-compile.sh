# SPDX-License-Identifier: MIT
# CMake's compiler launcher for targets with kernels: amp-compile.sh AMPCC CC ARGUMENTS... runs ampcc instead of cc.
ampcc=$1
shift 2
exec "$ampcc" "$@"
