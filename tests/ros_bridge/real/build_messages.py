"""Builds packages of messages for the rclpy of this Python, which the wheels of ROS 2 lack, from their texts.

    python build_messages.py FOLDER PACKAGE ...

FOLDER/PACKAGE/{msg,srv,action}/NAME.{msg,srv,action} are the texts; a package comes after those that it needs. The
generators are those of ROS 2. What colcon makes a library each is one library here, and for Fast DDS alone.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

PREFIX, PYTHON = Path(sys.prefix), Path(sysconfig.get_path("purelib"))
os.environ["AMENT_PREFIX_PATH"] = sys.prefix  # where the generators look for each other
GENERATED = ("generator_c", "generator_py", "typesupport_c", "typesupport_fastrtps_c", "typesupport_introspection_c")
SUPPORTS = ["rosidl_typesupport_fastrtps_c", "rosidl_typesupport_introspection_c"]
RUNTIME = ("fastcdr", "rosidl_runtime_c", "rosidl_typesupport_c", "rosidl_typesupport_fastrtps_c")
RUNTIME += ("rosidl_typesupport_fastrtps_cpp", "rosidl_typesupport_introspection_c", "rcutils", "rmw")


def generate(source: Path, out: Path) -> None:
    """The C, C++ and Python of a package."""
    from rosidl_cli.command.translate.api import translate
    from rosidl_generator_c.cli import GenerateC
    from rosidl_generator_py.cli import GeneratePython
    from rosidl_typesupport_c.cli import GenerateCTypesupport
    from rosidl_typesupport_fastrtps_c.cli import GenerateFastRTPSCTypesupport
    from rosidl_typesupport_introspection_c.cli import GenerateIntrospectionCTypesupport

    package, share = source.name, [str(PREFIX / "share"), str(out.parent)]
    files = sorted(f"{source}:{path.relative_to(source)}" for path in source.rglob("*.*"))
    idl = translate(
        package_name=package, interface_files=files, include_paths=share, output_format="idl", output_path=out
    )
    for kind in ("msg", "srv", "action"):  # together, types of one name in two of them are mixed up
        if some := [str(each) for each in idl if f":{kind}/" in str(each)]:
            GenerateC("c").generate(package, some, share, output_path=out)
    supports = {
        GenerateCTypesupport("c", typesupport_implementations=SUPPORTS): out,
        GenerateFastRTPSCTypesupport("fastrtps_c"): out,
        GeneratePython("py", typesupport_implementations=["rosidl_typesupport_c"]): out,
        # some of its files have the names of those of the types
        GenerateIntrospectionCTypesupport("introspection_c"): out.parent / "introspection" / package,
    }
    for generator, place in supports.items():
        generator.generate(package, [str(each) for each in idl], share, output_path=place)


def build(package: str, out: Path) -> None:
    """Compile a package, and put it among those of this Python."""
    import numpy

    introspection = out.parent / "introspection"
    places = [*(PREFIX / "include").iterdir(), PREFIX / "include", out.parent, introspection]
    places += [Path(sysconfig.get_path("include")), Path(numpy.get_include())]
    objects = []
    for source in sorted(path for top in (out, introspection / package) for path in top.rglob("*.c*")):
        objects.append(source.with_suffix(f"{source.suffix}.o"))
        compiler = ["gcc"] if source.suffix == ".c" else ["g++", "-std=c++17"]
        flags = ["-O0", "-fPIC", "-w", *(f"-I{place}" for place in places)]
        subprocess.run([*compiler, *flags, "-c", source, "-o", objects[-1]], check=True)
    libraries = [
        path
        for path in (PREFIX / "lib").glob("lib*.so")
        if path.stem.endswith(tuple(f"__rosidl_{each}" for each in GENERATED)) and package not in path.stem
    ]
    libraries += [PREFIX / "lib" / f"lib{name}.so" for name in RUNTIME]
    library = PREFIX / "lib" / f"lib{package}__rosidl_generator_c.so"
    link = ["g++", "-shared", f"-Wl,-rpath,{PREFIX / 'lib'}", "-o", library]
    subprocess.run([*link, *objects, "-Wl,--as-needed", *libraries], check=True)
    for path in out.rglob("*.py"):
        place = PYTHON / package / path.relative_to(out)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(path.read_bytes())
    (PYTHON / package / "__init__.py").touch()
    extension = f"{package}_s__rosidl_typesupport_c{sysconfig.get_config_var('EXT_SUFFIX')}"
    names = [PREFIX / "lib" / f"lib{package}__{support}.so" for support in SUPPORTS]
    for name in (*names, PYTHON / package / extension):
        name.unlink(missing_ok=True)
        name.symlink_to(library)


def main(folder: str, *packages: str) -> None:
    for package in packages:
        out = Path(folder) / "built" / package
        out.mkdir(parents=True, exist_ok=True)
        generate(Path(folder) / package, out)
        build(package, out)


if __name__ == "__main__":
    main(*sys.argv[1:])
