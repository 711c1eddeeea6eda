"""Which transport is taken, and what is said where it cannot be."""

from __future__ import annotations

import sys
from xml.etree import ElementTree

import pytest

from homie.kernel.errors import BadInput, MissingPart
from homie.kernel.options import OpenOptions
from homie.runtime.assembly import open_robot
from ros_bridge.transport.dds.network import configuration
from ros_bridge.transport.network import small_buffers
from ros_bridge.transport.opening import open_node


@pytest.fixture
def broken(tmp_path, monkeypatch, network):
    """A rclpy that was built for another Python, as that of Humble is."""
    folder = tmp_path / "rclpy"
    folder.mkdir()
    (folder / "__init__.py").write_text("from rclpy import _rclpy_pybind11\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("ROS_DOMAIN_ID", str(network.domain))
    monkeypatch.setenv("ROS_LOCALHOST_ONLY", "1")
    for name in [name for name in sys.modules if name.partition(".")[0] == "rclpy" or name.endswith("ros_node")]:
        monkeypatch.delitem(sys.modules, name)


def test_auto_takes_dds_and_says_why_where_rclpy_cannot_be_imported(broken, caplog):
    with open_node("/homie") as node:
        assert node.transport == "dds"
    assert "The transport is dds, not rclpy: the rclpy that is there cannot be imported by Python 3" in caplog.text
    assert "_rclpy_pybind11" in caplog.text and "unset PYTHONPATH" in caplog.text


def test_the_true_reason_is_reported_where_rclpy_was_asked_for(broken):
    with pytest.raises(MissingPart, match=r"The transport 'rclpy' cannot be used: the rclpy .*_rclpy_pybind11"):
        open_node("/homie", "rclpy")


@pytest.mark.skipif("rclpy" in sys.modules, reason="rclpy is installed")
def test_an_installation_is_asked_for_where_there_is_none(network):
    with pytest.raises(MissingPart, match=r"The transport 'rclpy' cannot be used: it needs a ROS 2 installation"):
        open_node("/homie", "rclpy")


def test_a_run_can_choose_its_transport():
    for wrong, sentence in (({"transport": "quic"}, "transport"), ({"speed": 1}, "has no setting 'speed'")):
        with pytest.raises(BadInput, match=sentence):
            open_robot(OpenOptions.build(robot="ros:fetch", robot_settings=wrong))
    with pytest.raises(MissingPart, match="The transport 'rclpy' cannot be used"):
        open_robot(OpenOptions.build(robot="ros:fetch", robot_settings={"transport": "rclpy"}))
    with pytest.raises(BadInput, match="does not support --rooms"):
        open_robot(OpenOptions.build(robot="ros:fetch", rooms=3))


@pytest.mark.parametrize("interface", ["lo", "", "eth0"])
def test_no_least_receive_buffer_is_asked_for(interface):
    """Cyclone DDS joins no network where the machine allows less than the least: 208 KiB on most."""
    (buffer,) = ElementTree.fromstring(configuration(interface)).iter("SocketReceiveBufferSize")
    assert buffer.attrib == {"max": "4MB"}


def test_small_receive_buffers_are_named_with_the_command(tmp_path):
    limit = tmp_path / "rmem_max"
    assert small_buffers(limit) == ""
    limit.write_text("4194304\n")
    assert small_buffers(limit) == ""
    limit.write_text("212992\n")
    why = "; receive buffers of 208 KiB lose parts of large pictures (sudo sysctl -w net.core.rmem_max=4194304)"
    assert small_buffers(limit) == why
