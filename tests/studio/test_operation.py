"""A person and a planner at one robot: who decides, what a stop does, what is kept of it."""

from __future__ import annotations

import pytest

from homie.data.recording.takes import list_takes
from homie.kernel.errors import BadInput
from homie.kernel.types import ErrorCode, Outcome
from homie.runtime.assembly import choose
from homie.runtime.runstore.damage import read_finished
from homie.studio.operation import Operation
from homie.studio.options import TeleopOptions
from homie.studio.orders import STICK_SECONDS, Begin, Desk, Do, Finish, Give, Look, Move, Quit, Take
from homie.studio.teleop_commands import RELEASED, Hand, Stick
from homie.studio.typed_orders import read_line, urgent

TINY = {"robot": "tiny", "skills": "tiny", "detector": "tiny", "targets": "tiny", "speed": 0.0}
HOUSEHOLD = ("Go to", "Pick", "Put", "Open", "Close", "End")


class Front:
    """Does something at moments, as a person would, and keeps its messages."""

    def __init__(self, *moments):
        self.told, self.moments = [], list(moments)

    def tell(self, sentence):
        self.told.append(sentence)

    def refresh(self, operation):
        if self.moments and self.moments[0][0](operation.state):
            self.moments.pop(0)[1](operation.desk)


def operate(tmp_path, orders, *moments, **options):
    """Carry out orders; the front, and the records of the one recording."""
    front, desk = Front(*moments), Desk()
    built = TeleopOptions.build(record=tmp_path / "recordings", **{**TINY, **options})
    operation = Operation(built, choose(built), desk, front, listeners=())
    for order in orders:
        desk.order(order)
    if not moments:
        desk.order(Quit())
    operation.run()
    (take,) = list_takes(tmp_path / "recordings")
    _, records = read_finished(take.episode)
    return front, records


def test_a_stop_ends_the_subtask_and_no_other_attempt_is_made(tmp_path):
    runs = (lambda state: state.doing == "[Go to, box]", Desk.stop)
    ends = (lambda state: not state.doing, lambda desk: desk.order(Quit()))
    go = Do(read_line("go to box", HOUSEHOLD, "", record=True)[0].subtask)
    front, records = operate(tmp_path, [Begin(task="drive"), go], runs, ends)
    execution = records[0].execution
    assert [attempt.outcome for attempt in execution.attempts] == [Outcome.STOPPED]
    assert execution.feedback.code is ErrorCode.E1 and "a person stopped it" in execution.feedback.message
    assert front.told == []


def test_a_stop_ends_what_came_before_it_and_nothing_that_came_after(tmp_path):
    """Both while the robot's thread waits for orders: it has not heeded the stop when the order comes."""
    go = Do(read_line("go to box", HOUSEHOLD, "", record=True)[0].subtask)

    def goes_after_a_stop(desk):
        desk.stop()
        desk.order(go)

    def is_stopped_after_it_asked(desk):
        desk.order(go)
        desk.stop()

    before_stop = (lambda state: state.task == "drive" and not state.doing, goes_after_a_stop)
    after_stop = (lambda state: state.round == 1 and not state.doing, is_stopped_after_it_asked)
    ends = (lambda state: state.round == 2 and not state.doing, lambda desk: desk.order(Quit()))
    _, records = operate(tmp_path, [Begin(task="drive")], before_stop, after_stop, ends)
    outcomes = [[attempt.outcome for attempt in record.execution.attempts] for record in records[:2]]
    assert outcomes == [[Outcome.SUCCEEDED], [Outcome.STOPPED]]


def test_orders_come_in_their_order_and_wait_for_stops_before_them():
    desk = Desk()
    desk.order(Take())
    desk.interrupt(Give())
    desk.order(Quit())
    assert desk.next() == Take() and desk.next() is None and desk.next(0.001) is None
    assert desk.stopped() and [desk.next(), desk.next(), desk.next()] == [Give(), Quit(), None]
    desk.stop()
    desk.order(Give())
    desk.stop()  # the later one counts: the order came before it
    assert desk.next() == Give() and desk.stopped()


def test_a_person_takes_over_from_a_planner_and_hands_back(tmp_path, plan):
    planner = plan(("Go to | ball", "decided by the person", "Go to | box", "End"))
    takes = (lambda state: state.doing == "[Go to, ball]", lambda desk: desk.interrupt(Take()))
    pick = read_line("go to ball", HOUSEHOLD, "", record=True)[0]

    def help_and_hand_back(desk):
        desk.order(Move(Stick(drive=0.5), 0.3))
        desk.order(pick)
        desk.order(Give())

    helps = (lambda state: state.in_charge == "person" and not state.doing, help_and_hand_back)
    quits = (lambda state: state.task == "", lambda desk: desk.order(Quit()))
    _, records = operate(tmp_path, [Begin(task="drive", planner=planner)], takes, helps, quits)
    decided = [(str(record.decision.subtasks[0]), record.decision.analysis) for record in records]
    assert [subtask for subtask, _ in decided] == ["[Go to, ball]", "[Go to, ball]", "[Go to, box]", "[End]"]
    assert [why == "Chosen by a person." for _, why in decided] == [False, True, False, False]


def test_a_planner_in_charge_takes_no_subtask_of_a_person(tmp_path, plan):
    planner = plan(("Go to | ball", "End"))
    orders = [
        Begin(task="drive", planner=planner),
        Move(RELEASED, 1.0),
        Do(read_line("pick ball", HOUSEHOLD, "", record=True)[0].subtask),
    ]
    quits = (lambda state: state.task == "" and state.last is not None, lambda desk: desk.order(Quit()))
    front, records = operate(tmp_path, orders, quits)
    assert front.told == ["The planner is in charge: take over first."] * 2 and len(records) == 2


def test_what_is_in_a_picture_and_what_can_be_done_with_it(tmp_path):
    places = []
    orders = [
        Begin(task="look"),
        Look("front", places.append),
        Look("front", places.append, (0.99, 0.99)),
        Look("nowhere", places.append),
    ]
    front, _ = operate(tmp_path, orders)
    everything, corner = places
    by_name = {thing.name: thing.subtasks for thing in everything}
    assert ("Go to", "ball", "") in by_name["ball"] and ("Pick", "ball", "") in by_name["ball"]
    assert len(corner) < len(everything)
    assert front.told == ["There is no view 'nowhere': the robot shows front, left, back, right."]


def test_a_hand_that_is_not_heard_of_has_let_go():
    now = [0.0]
    desk = Desk(clock=lambda: now[0])
    assert not desk.stick.moves
    desk.hold(Stick(drive=1.0))
    now[0] = STICK_SECONDS
    assert desk.stick == Stick(drive=1.0)
    now[0] += 0.01
    assert desk.stick == RELEASED
    desk.hold(Stick(drive=1.0))
    desk.stop()
    assert desk.stick == RELEASED and desk.stopped() and not desk.stopped()


def test_a_hand_moves_only_what_the_robot_has():
    from homie_tiny import TinyRobot

    robot = TinyRobot()
    command = Hand(robot).command(
        Stick(drive=3.0, turn=-0.5, grip=-1.0, joints={"arm": (0.4,), "tail": (1.0,), "gripper": (1.0, 2.0)}),
        robot.observe(),
    )
    assert command.targets == {"base": (1.0, -1.0), "gripper": (0.0,), "arm": (0.4,)}


@pytest.mark.parametrize(
    ("line", "means"),
    [
        ("forward", (Move(Stick(drive=0.5), 1.0),)),
        ("Hand up 0.25", (Move(Stick(reach=(0.0, 0.0, 1.0)), 0.25),)),
        ("end failure", (Finish("failure"),)),
        ("again", (Finish(discard=True), Begin(task="the task", record=False))),
        ("begin put it there with chat:gpt", (Begin(task="put it there", planner="chat:gpt", record=False),)),
        ("stop", ()),
        (":end failure", (Finish("failure"),)),
        (": begin tidy up", (Begin(task="tidy up", record=False),)),
    ],
)
def test_lines(line, means):
    assert read_line(line, HOUSEHOLD, "the task", record=False) == means


@pytest.mark.parametrize(
    ("line", "task"), [("dance", "t"), ("again", ""), ("why Because", "t"), ("mark good", "t"), ("note ", "t")]
)
def test_lines_that_mean_nothing_are_bad_input(line, task):
    with pytest.raises(BadInput):
        read_line(line, HOUSEHOLD, task, record=False)


def test_what_cannot_wait():
    assert urgent("end success") and urgent("STOP") and not urgent("go to the end") and not urgent("")
