# What `cmake --install` puts where: headers, both libraries in both forms, the pkg-config files and the CMake
# package. The tool and the manual install themselves (cli/, man/). DESTDIR is honoured.
include(CMakePackageConfigHelpers)

install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/LICENSE.DejaVu
        DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CAFE_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/cafe)

install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/cafe DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")

set_target_properties(cafe_shared PROPERTIES EXPORT_NAME cafe)
set_target_properties(cafe_lab_shared PROPERTIES EXPORT_NAME lab)
set_target_properties(cafe_lab_static PROPERTIES EXPORT_NAME lab_static)
install(TARGETS cafe_shared cafe_static cafe_lab_shared cafe_lab_static EXPORT cafeTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT cafeTargets NAMESPACE cafe:: DESTINATION ${CAFE_PACKAGE_DIR})

configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/cafeConfig.cmake.in
                              ${CMAKE_BINARY_DIR}/cafeConfig.cmake
                              INSTALL_DESTINATION ${CAFE_PACKAGE_DIR})
# Before 1.0 a minor version may break the interface.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/cafeConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/cafeConfig.cmake ${CMAKE_BINARY_DIR}/cafeConfigVersion.cmake
        DESTINATION ${CAFE_PACKAGE_DIR})

# The folders of cafe.pc are relative to its prefix unless they were given as absolute.
foreach(folder LIBDIR INCLUDEDIR)
    if(IS_ABSOLUTE "${CMAKE_INSTALL_${folder}}")
        set(CAFE_PC_${folder} "${CMAKE_INSTALL_${folder}}")
    else()
        set(CAFE_PC_${folder} "\${prefix}/${CMAKE_INSTALL_${folder}}")
    endif()
endforeach()
foreach(name cafe cafe-lab)
    configure_file(${CMAKE_SOURCE_DIR}/cmake/${name}.pc.in ${CMAKE_BINARY_DIR}/${name}.pc.part @ONLY)
    # The prefix is only known when the files are installed (cmake --install --prefix).
    install(CODE "
        file(READ \"${CMAKE_BINARY_DIR}/${name}.pc.part\" text)
        string(REPLACE \"%PREFIX%\" \"\${CMAKE_INSTALL_PREFIX}\" text \"\${text}\")
        file(WRITE \"${CMAKE_BINARY_DIR}/${name}.pc\" \"\${text}\")")
    install(FILES ${CMAKE_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
