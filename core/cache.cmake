# Compiled cores of earlier builds: an entry is a folder named by a hash of everything that decides what is compiled.
# `make` uses the user's cache folder, so that a new clone of the same core compiles nothing.

# Sets `sources` to the files that the core is made of, in the folder `root`, and `sources_hash` to a hash of them.
function(hash_sources root)
  file(GLOB sources "${root}/core/*.cpp" "${root}/core/*.hpp" "${root}/core/*.cmake")
  list(APPEND sources "${root}/CMakeLists.txt")
  set(key "")
  foreach(source ${sources})
    file(SHA256 "${source}" hash)
    get_filename_component(name "${source}" NAME)
    string(APPEND key "${name} ${hash}\n")
  endforeach()
  string(SHA256 hash "${key}")
  set(sources "${sources}" PARENT_SCOPE)
  set(sources_hash "${hash}" PARENT_SCOPE)
endfunction()

# Sets `entry` to the folder for this build within `cache`, and `found` to whether it holds the compiled core.
function(find_compiled cache levels)
  hash_sources("${CMAKE_CURRENT_SOURCE_DIR}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sources})
  execute_process(COMMAND "${CMAKE_CXX_COMPILER}" --version OUTPUT_VARIABLE compiler)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  string(
    CONCAT key "${sources_hash}\n${compiler}\n${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}\n"
    "${CMAKE_SYSTEM_NAME} ${CMAKE_SYSTEM_PROCESSOR}\n${CMAKE_BUILD_TYPE}\n${CMAKE_CXX_FLAGS}\n"
    "${CMAKE_CXX_FLAGS_${type}}\n${CMAKE_MODULE_LINKER_FLAGS}\n${levels}\n"
    "native ${ZEROPLY_NATIVE}\nsanitize ${ZEROPLY_SANITIZE}\nnanobind ${nanobind_VERSION}\n"
    "Python ${Python_VERSION} ${NB_SUFFIX}\n")
  string(SHA256 hash "${key}")
  string(SUBSTRING "${hash}" 0 32 hash)
  set(entry "${cache}/${hash}")
  set(found FALSE)
  if(EXISTS "${entry}/files.txt")
    set(found TRUE)
    file(STRINGS "${entry}/files.txt" lines)
    foreach(line ${lines})  # a hash and a name: an entry that a crash of the machine has damaged is not used
      string(REPLACE " " ";" line "${line}")
      list(GET line 0 expected)
      list(GET line 1 name)
      set(actual "missing")
      if(EXISTS "${entry}/${name}")
        file(SHA256 "${entry}/${name}" actual)
      endif()
      if(NOT actual STREQUAL expected)
        set(found FALSE)
      endif()
    endforeach()
    if(found)
      file(TOUCH "${entry}/files.txt")  # the newest entries stay
    else()
      file(REMOVE_RECURSE "${entry}")
    endif()
  endif()
  set(entry "${entry}" PARENT_SCOPE)
  set(found ${found} PARENT_SCOPE)
endfunction()

# Installs the compiled core of an entry; from a copy, because another build may remove the entry.
function(install_compiled entry)
  message(STATUS "The core is unchanged: using ${entry}")
  set(copy "${CMAKE_CURRENT_BINARY_DIR}/compiled")
  file(REMOVE_RECURSE "${copy}")
  file(COPY "${entry}/" DESTINATION "${copy}")
  file(GLOB modules "${copy}/core_*")
  install(FILES ${modules} DESTINATION zeroply/_core)
  file(GLOB modules "${copy}/_cpu*")
  install(FILES ${modules} DESTINATION zeroply)
endfunction()

# Stores the given targets as an entry when they are installed. A failure is reported and does not fail the build.
function(store_compiled entry)
  hash_sources("${CMAKE_CURRENT_SOURCE_DIR}")
  set(files "")
  foreach(target ${ARGN})
    list(APPEND files "$<TARGET_FILE:${target}>")
  endforeach()
  install(CODE "execute_process(COMMAND \"${CMAKE_COMMAND}\" \"-Dentry=${entry}\" \"-Dfiles=${files}\"
    \"-Dcompiled=${sources_hash}\" -P \"${CMAKE_CURRENT_SOURCE_DIR}/core/store.cmake\")")
endfunction()
