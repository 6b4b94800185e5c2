# Stops the configuration with one sentence if the compiler cannot build the core.
# Apple's clang has version numbers of its own; its 14 is based on LLVM 14.
set(OLDEST_GNU 11)
set(OLDEST_Clang 14)
set(OLDEST_AppleClang 14)

set(oldest "${OLDEST_${CMAKE_CXX_COMPILER_ID}}")
if(oldest STREQUAL "" OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS oldest)
  message(
    FATAL_ERROR
      "zeroply needs GCC 11, Clang 14 or a newer version of either; ${CMAKE_CXX_COMPILER} is "
      "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}. Name another compiler with CXX=...")
endif()
