/* SPDX-License-Identifier: Apache-2.0 */
/* AMD's compiler for tests: the fake NVRTC under the names of hipRTC. */
#define nvrtcVersion hiprtcVersion
#define nvrtcGetErrorString hiprtcGetErrorString
#define nvrtcCreateProgram hiprtcCreateProgram
#define nvrtcDestroyProgram hiprtcDestroyProgram
#define nvrtcCompileProgram hiprtcCompileProgram
#define nvrtcGetProgramLogSize hiprtcGetProgramLogSize
#define nvrtcGetProgramLog hiprtcGetProgramLog
#define nvrtcGetCUBINSize hiprtcGetCodeSize
#define nvrtcGetCUBIN hiprtcGetCode
#define FAKE_HIP
#include "nvrtc.c"
