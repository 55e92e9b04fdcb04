# Installs headers, both libraries, the CMake package (find_package(holdfast)) and holdfast.pc; where it is built, the
# command with its man pages and completion.
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/holdfast")

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING PATTERN "*.hpp")
install(TARGETS holdfast_static holdfast_shared EXPORT holdfast_targets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(EXPORT holdfast_targets NAMESPACE holdfast:: FILE holdfast-targets.cmake DESTINATION "${package_dir}")

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/holdfast-config.cmake.in"
  "${PROJECT_BINARY_DIR}/generated/holdfast-config.cmake" INSTALL_DESTINATION "${package_dir}")
# Before 1.0 a new minor version may break: 0.1.x serves those who ask for 0.1.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/generated/holdfast-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/generated/holdfast-config.cmake"
  "${PROJECT_BINARY_DIR}/generated/holdfast-config-version.cmake"
  DESTINATION "${package_dir}")

# holdfast.pc finds its prefix from where it lies (pcfiledir), so `cmake --install --prefix` elsewhere just works.
file(RELATIVE_PATH prefix_from_pc
  "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" prefix_from_pc "${prefix_from_pc}")
configure_file("${PROJECT_SOURCE_DIR}/cmake/holdfast.pc.in" "${PROJECT_BINARY_DIR}/generated/holdfast.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/generated/holdfast.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

if(TARGET holdfast_command)
  install(TARGETS holdfast_command RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  if(TARGET holdfast_manual)
    install(DIRECTORY "${PROJECT_BINARY_DIR}/man/" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
    set(completion "${PROJECT_BINARY_DIR}/completion")
    install(DIRECTORY "${completion}/bash/" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
    install(DIRECTORY "${completion}/zsh/" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions")
    install(DIRECTORY "${completion}/fish/" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
  endif()
endif()
