# The Debian package: `./dev package`, or `cpack` in the build folder.
#
# One package and not three (command, libholdfast0, libholdfast-dev): before 1.0 the library's ABI changes with every
# minor version, so nobody can depend on a shared library of it for long, and the command is linked statically. Whoever
# installs it to compile against it and whoever installs it for cron get the same half a megabyte more.
#
# It has no file below /etc: without one the command works (a private Redis), a password in a package's conffile would
# be readable by all, and no upgrade has to ask about changes. An example is in /usr/share/doc/holdfast/examples.
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME holdfast)
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/package")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(HOLDFAST_PACKAGE_MAINTAINER "Holdfast authors <maintainers@holdfast.invalid>"
  CACHE STRING "Who answers for the package")
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${HOLDFAST_PACKAGE_MAINTAINER}")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
math(EXPR next_minor "${PROJECT_VERSION_MINOR} + 1")
set(next_minor "${PROJECT_VERSION_MAJOR}.${next_minor}.0")
# Who links against the shared library depends on this package; and ldconfig is told by a trigger, so there is no
# maintainer's script and nothing of the package runs while it is installed. CPack's own way to both would add such
# scripts; so package_finish.cmake asks dpkg-shlibdeps for what we depend on.
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/generated/shlibs" @ONLY CONTENT
  "libholdfast @PROJECT_VERSION_MAJOR@ holdfast (>= @PROJECT_VERSION@), holdfast (<< @next_minor@~)\n")
file(WRITE "${PROJECT_BINARY_DIR}/generated/triggers" "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
  "${PROJECT_BINARY_DIR}/generated/shlibs" "${PROJECT_BINARY_DIR}/generated/triggers")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# A Redis on another host will do, and so will none: only then redis-server is wanted here.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS redis-server)
# What programs need that are compiled against it; holdfast/asio.hpp needs Boost, two experiments of the laboratory faketime.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "faketime, g++, libssl-dev, libboost1.81-dev")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "locks across machines, on the Redis you already run")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"The flock(1) of a fleet: \"holdfast run NAME -- COMMAND\" runs a command under a
lock that holds across hosts, and stops it before the lock can be somebody
else's. Waiters are served in order and by direct hand-off; every lock has an
expiry and a fencing number.

The package also holds the C++20 library that does it: headers, shared and
static library, CMake and pkg-config files.")

# What only the package has: texts below /usr/share/doc, pages compressed. Run after the files are staged.
string(TIMESTAMP package_date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # of SOURCE_DATE_EPOCH, where that is set
configure_file("${PROJECT_SOURCE_DIR}/packaging/changelog.in" "${PROJECT_BINARY_DIR}/generated/changelog.Debian" @ONLY)
set(HOLDFAST_PACKAGE_LIBDIR "${CMAKE_INSTALL_LIBDIR}")
configure_file("${PROJECT_SOURCE_DIR}/cmake/package_finish.cmake.in"
  "${PROJECT_BINARY_DIR}/generated/package_finish.cmake" @ONLY)
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_BINARY_DIR}/generated/package_finish.cmake")
include(CPack)
