"""Modules that have moved: imports, configurations and entry points with an old name work for one release, with a
DeprecationWarning that names the new one."""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Mapping
from importlib.machinery import ModuleSpec
from types import MappingProxyType

TYPE_CHECKING = False  # as in `homie`, which imports this first of all
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from importlib.abc import Loader
    from types import ModuleType
    from typing import Any
else:
    Loader = object

MOVED: Mapping[str, str] = MappingProxyType(
    {
        "error_detection.messages": "error_detection.further_sentences",
        "error_detection.names": "error_detection.names_for_planners",
        "error_detection.reasons": "error_detection.failure_advice",
        "homie.across": "suites.leaderboard_",
        "homie.bench.authoring.errands": "homie.bench.authoring.errand_drawing",
        "homie.bench.authoring.errands.draw": "homie.bench.authoring.errand_drawing",
        "homie.bench.authoring.errands.errand": "homie.bench.authoring.task_draft",
        "homie.bench.authoring.errands.templates": "homie.bench.authoring.errand_templates",
        "homie.bench.compare": "homie.bench.score",
        "homie.bench.compare.summary": "homie.bench.score.compare_tables",
        "homie.bench.folder": "homie.bench",
        "homie.bench.folder.goals": "homie.bench.goal_lines",
        "homie.bench.folder.inside": "homie.bench.runs_inside",
        "homie.bench.folder.ledger": "homie.bench.finished_episodes",
        "homie.bench.folder.makeup": "homie.bench.run_versions",
        "homie.bench.ledger": "homie.bench.finished_episodes",
        "homie.bench.makeup": "homie.bench.run_versions",
        "homie.bench.play.calling": "homie.bench.play.bench_call",
        "homie.bench.play.goals": "homie.bench.play.goal_log",
        "homie.bench.play.parts": "homie.bench.play.worker_parts",
        "homie.bench.play.size": "homie.bench.play.worker_count",
        "homie.bench.protocols": "suites.published",
        "homie.bench.protocols.embodied_eval": "suites.published.embodied_eval_",
        "homie.bench.protocols.embodiedbench.tasks": "suites.published.embodiedbench_files",
        "homie.bench.protocols.vigil": "suites.published",
        "homie.bench.protocols.vigil.episode": "suites.published.vigil_episode",
        "homie.bench.protocols.vigil.rates": "suites.published.vigil_rates",
        "homie.bench.protocols.vigil.score": "suites.published.vigil_score",
        "homie.bench.report.figures": "homie.bench.report.plots_and_tables",
        "homie.bench.report.tables": "homie.bench.report.plots_and_tables",
        "homie.bench.score.differences": "homie.bench.score.paired_differences",
        "homie.bench.score.foreign": "homie.bench.score.plugin_runs",
        "homie.bench.score.paper": "homie.bench.score.emmoe_error_rows",
        "homie.bench.score.profiles": "homie.bench.score.metric_profiles",
        "homie.bench.score.readings": "homie.bench.score.answer_parsing",
        "homie.bench.score.result_tables": "homie.bench.score.compare_tables",
        "homie.bench.score.summary": "homie.bench.score.compare_tables",
        "homie.bench.score.usage": "homie.bench.score.tokens_and_times",
        "homie.bench.statistics": "homie.bench.intervals_and_tests",
        "homie.bench.suites": "homie.bench.suite.shipped",
        "homie.bench.suites.alfred": "suites.published.alfred",
        "homie.bench.suites.embodiedbench": "suites.published.embodiedbench",
        "homie.cli.commands.questions": "suites.questions.command",
        "homie.cli.commands.table_listing": "homie.cli.commands.scene",
        "homie.cli.commands.teleop": "homie.cli.commands.studio",
        "homie.cli.commands.vigil": "suites.vigil.command",
        "homie.cli.signals": "homie.kernel.stop_signals",
        "homie.conditions": "homie.kernel.world.conditions",
        "homie.conditions.grammar": "homie.kernel.world.conditions",
        "homie.conditions.people": "homie.kernel.world.predicates_people",
        "homie.conditions.predicates": "homie.kernel.world.predicates",
        "homie.conditions.words": "homie.kernel.world.words",
        "homie.data.cards": "homie.data.card_parts",
        "homie.data.convert": "homie.data.training_examples",
        "homie.data.demonstrations": "homie.data.recording",
        "homie.data.demonstrations.films": "homie.data.recording.video_files",
        "homie.data.examples.rewritings": "homie.data.examples.rewriting_cache",
        "homie.data.folder": "homie.data.examples",
        "homie.data.folder.rewritings": "homie.data.examples.rewriting_cache",
        "homie.data.lerobot.layout": "homie.data.lerobot.columns",
        "homie.data.lerobot.pictures": "homie.data.lerobot.picture_reader",
        "homie.data.lerobot.tables": "homie.data.lerobot.task_tables",
        "homie.data.official": "homie.data.emmoe_wording",
        "homie.data.sources.emmoe": "homie.data.sources.emmoe_episodes",
        "homie.data.sources.opening": "homie.data.sources.source_kinds",
        "homie.data.statistics": "homie.data.episode_counts",
        "homie.doors": "homie.integrations",
        "homie.envs.mujoco.appliances": "homie.envs.mujoco.appliance_switches",
        "homie.envs.mujoco.blueprints.catalog_furniture": "homie.envs.mujoco.blueprints.catalog",
        "homie.envs.mujoco.blueprints.catalog_objects": "homie.envs.mujoco.blueprints.catalog",
        "homie.envs.mujoco.blueprints.furniture_doors": "homie.envs.mujoco.blueprints.furniture_with_doors",
        "homie.envs.mujoco.blueprints.looks": "homie.envs.mujoco.blueprints.state_parts",
        "homie.envs.mujoco.blueprints.lying": "homie.envs.mujoco.blueprints.extents",
        "homie.envs.mujoco.blueprints.palette": "homie.envs.mujoco.blueprints.materials",
        "homie.envs.mujoco.generate.household": "homie.envs.mujoco.generate.initial_states",
        "homie.envs.mujoco.generate.people": "homie.envs.mujoco.generate.placing_people",
        "homie.envs.mujoco.generate.variation": "homie.envs.mujoco.generate.requested_changes",
        "homie.envs.mujoco.home.filming": "homie.envs.mujoco.home.outside_camera",
        "homie.envs.mujoco.home.ideal": "homie.envs.mujoco.home",
        "homie.envs.mujoco.home.ideal.bodies": "homie.envs.mujoco.home.ideal_bodies",
        "homie.envs.mujoco.home.ideal.native": "homie.envs.mujoco.home.ideal_native",
        "homie.envs.mujoco.home.ideal.rearranging": "homie.envs.mujoco.home.ideal_rearranging",
        "homie.envs.mujoco.home.ideal.spots": "homie.envs.mujoco.home.ideal_spots",
        "homie.envs.mujoco.house.footprints": "homie.envs.mujoco.house.surfaces",
        "homie.envs.mujoco.house.grips": "homie.envs.mujoco.house.contacts",
        "homie.envs.mujoco.house.initial_state": "homie.envs.mujoco.initial_state",
        "homie.envs.mujoco.house.looks": "homie.envs.mujoco.house.object_looks",
        "homie.envs.mujoco.house.meshed_scene": "homie.envs.mujoco.house.object_looks",
        "homie.envs.mujoco.house.outset": "homie.envs.mujoco.initial_state",  # codespell:ignore
        "homie.envs.mujoco.house.people": "homie.envs.mujoco.house.person_bodies",
        "homie.envs.mujoco.house.skins": "homie.envs.mujoco.house.object_looks",
        "homie.envs.mujoco.house.spec_doubts": "homie.envs.mujoco.house.spec",
        "homie.envs.mujoco.house.spec_people": "homie.envs.mujoco.house.spec_checks",
        "homie.envs.mujoco.house.topdown": "homie.envs.mujoco.scene_map",
        "homie.envs.mujoco.house.vicinity": "homie.envs.mujoco.house.contacts",
        "homie.envs.mujoco.meshes.reading": "homie.envs.mujoco.meshes.read_mesh",
        "homie.envs.mujoco.render.cameras": "homie.envs.mujoco.render.camera_geometry",
        "homie.envs.mujoco.render.gl": "homie.envs.mujoco.render.opengl_contexts",
        "homie.envs.mujoco.render.opengl": "homie.envs.mujoco.render.opengl_renderer",
        "homie.envs.mujoco.render.raycast": "homie.envs.mujoco.render.raycast_renderer",
        "homie.envs.mujoco.render.rays": "homie.envs.mujoco.render.raycast_tiles",
        "homie.envs.mujoco.render.rendering": "homie.envs.mujoco.render.backend_choice",
        "homie.envs.mujoco.robots.fetch": "homie.envs.mujoco.robots.bodies.fetch_",
        "homie.envs.mujoco.robots.fetch.fetch": "homie.envs.mujoco.robots.bodies.fetch",
        "homie.envs.mujoco.robots.panda": "homie.envs.mujoco.robots.bodies.panda_",
        "homie.envs.mujoco.robots.panda.panda": "homie.envs.mujoco.robots.bodies.panda",
        "homie.envs.mujoco.robots.panda.panda_ik": "homie.envs.mujoco.robots.bodies.panda_ik",
        "homie.envs.mujoco.robots.panda_base": "homie.envs.mujoco.robots.bodies.panda_base",
        "homie.envs.mujoco.robots.panda_base.panda_base": "homie.envs.mujoco.robots.bodies.panda_base",
        "homie.envs.mujoco.robots.stretch_like": "homie.envs.mujoco.robots.bodies.stretch_like_",
        "homie.envs.mujoco.robots.stretch_like.stretch_like": "homie.envs.mujoco.robots.bodies.stretch_like",
        "homie.envs.mujoco.state": "homie.envs.mujoco",
        "homie.envs.mujoco.state.appliances": "homie.envs.mujoco.appliance_switches",
        "homie.envs.mujoco.state.household": "homie.envs.mujoco.states_of_things",
        "homie.envs.mujoco.table.words": "homie.envs.mujoco.table.spoken_names",
        "homie.envs.symbolic": "homie.envs.symbolic_robot",
        "homie.envs.symbolic.locator": "homie.envs.symbolic_locator",
        "homie.envs.symbolic.picture": "homie.envs.symbolic_picture",
        "homie.envs.symbolic.robot": "homie.envs.symbolic_robot",
        "homie.envs.thor.stand_in": "homie.testing.thor_fake",
        "homie.envs.thor.stand_in.controller": "homie.testing.thor_fake",
        "homie.envs.thor.stand_in.picture": "homie.testing.thor_picture",
        "homie.envs.thor.stand_in.room": "homie.testing.thor_room",
        "homie.envs.thor.stand_in.things": "homie.testing.thor_room",
        "homie.household": "homie.kernel.world.household",
        "homie.household.people": "homie.kernel.world.household",
        "homie.household.rules": "homie.kernel.world.household",
        "homie.household.verbs": "homie.kernel.world.household",
        "homie.kernel.episode": "homie.kernel",
        "homie.kernel.episode.rules": "homie.kernel.episode_rules",
        "homie.kernel.opening": "homie.kernel.robot_factory",
        "homie.kernel.planning": "homie.kernel.interfaces",
        "homie.kernel.planning.respondents": "homie.kernel.interfaces.prompts",
        "homie.kernel.robot.moves": "homie.kernel.robot.graph_moves",
        "homie.kernel.robot.steps": "homie.kernel.robot.small_steps",
        "homie.kernel.robot.vector": "homie.kernel.robot.action_vector",
        "homie.kernel.setup": "homie.kernel",
        "homie.kernel.setup.opening": "homie.kernel.robot_factory",
        "homie.kernel.support.moved": "homie.kernel.support.old_module_names",
        "homie.kernel.types.arrays": "homie.kernel.types.geometry",
        "homie.kernel.types.choices": "homie.kernel.types.subtasks",
        "homie.kernel.types.questions": "homie.kernel.types.planner_input",
        "homie.kernel.types.telling": "homie.kernel.types.visibility",
        "homie.kernel.vocabulary": "homie.kernel",
        "homie.kernel.vocabulary.domain": "homie.kernel.world.thresholds",
        "homie.kernel.vocabulary.furniture": "homie.kernel.world.furniture",
        "homie.kernel.vocabulary.moves": "homie.kernel.robot.graph_moves",
        "homie.kernel.vocabulary.steps": "homie.kernel.robot.small_steps",
        "homie.questions": "suites.questions",
        "homie.questions.judging.run": "suites.questions.judging.judge_run",
        "homie.runtime.commandlog": "homie.runtime.runstore.command_log",
        "homie.runtime.conclusion": "homie.runtime.task_outcome",
        "homie.runtime.damage": "homie.runtime.runstore.damage",
        "homie.runtime.inputs": "homie.runtime.planner_inputs",
        "homie.runtime.lines": "homie.runtime.runstore.json_lines",
        "homie.runtime.live": "homie.runtime.open_session",
        "homie.runtime.making": "homie.kernel.registry",
        "homie.runtime.objects": "homie.kernel.registry",
        "homie.runtime.runstore.commandlog": "homie.runtime.runstore.command_log",
        "homie.runtime.runstore.episode": "homie.runtime.runstore.episode_folder",
        "homie.runtime.runstore.lines": "homie.runtime.runstore.json_lines",
        "homie.runtime.runstore.models": "homie.runtime.runstore.file_models",
        "homie.runtime.runstore.run": "homie.runtime.runstore.run_folder",
        "homie.runtime.runstore.sealed": "homie.runtime.runstore.checksummed_json",
        "homie.runtime.turns": "homie.runtime.thread_turns",
        "homie.studio.access": "homie.studio.app",
        "homie.studio.board": "homie.studio.page_content",
        "homie.studio.charge": "homie.studio.control_handover",
        "homie.studio.hub": "homie.studio.open_pages",
        "homie.studio.lines": "homie.studio.typed_orders",
        "homie.studio.pictures": "homie.studio.live_view",
        "homie.studio.stick": "homie.studio.teleop_commands",
        "homie.studio.teleop": "homie.studio",
        "homie.studio.teleop.desk": "homie.studio.orders",
        "homie.studio.terminal": "homie.studio.teleop_terminal",
        "homie.teleop": "homie.studio",
        "homie.teleop.charge": "homie.studio.control_handover",
        "homie.teleop.desk": "homie.studio.orders",
        "homie.teleop.pictures": "homie.studio.live_view",
        "homie.teleop.stick": "homie.studio.teleop_commands",
        "homie.teleop.terminal": "homie.studio.teleop_terminal",
        "homie.train.card": "homie.train.planner_card",
        "homie.train.options": "homie.train.hyperparameters",
        "homie.train.training": "homie.train.planner",
        "homie.vector": "homie.gym.vector",
        "homie.vector.threads": "homie.gym.vector",
        "homie.vigil": "suites.vigil",
        "homie.vigil.run": "suites.vigil.play_episodes",
        "perception.detectors.pictures": "perception.detectors.picture_detector",
        "perception.memory.entities": "perception.memory.seen_furniture",
        "perception.memory.entity": "perception.memory.seen_furniture",
        "perception.memory.loose_object": "perception.memory.seen_object",
        "perception.memory.room": "perception.memory.seen_room",
        "perception.memory.states": "perception.memory.object_states",
        "perception.memory.things": "perception.memory.memory",
        "perception.recall": "perception.memory",
        "perception.scene": "perception.memory",
        "perception.scene.entities": "perception.memory.seen_furniture",
        "perception.scene.things": "perception.memory.memory",
        "perception.sensors": "perception",
        "perception.suppression": "perception.box_suppression",
        "perception.words": "perception",
        "planners.llm.advice": "planners.llm.setting_advice",
        "planners.llm.brain": "planners.llm.model_planner",
        "planners.llm.calls.bounded": "planners.llm.calls.answer_limits",
        "planners.llm.calls.contents": "planners.llm.calls.reply_contents",
        "planners.llm.calls.lenient": "planners.llm.calls.body_parsing",
        "planners.llm.calls.pictures": "planners.llm.calls.base64_images",
        "planners.llm.calls.retry": "planners.llm.calls.network_retries",
        "planners.llm.calls.wire": "planners.llm.calls.http_requests",
        "planners.llm.elsewhere": "planners.llm.external_model",
        "planners.llm.local.decoding": "planners.llm.local.grammar",
        "planners.llm.local.folder": "planners.llm.local.find_model",
        "planners.llm.local.frames": "planners.llm.local.process_client",
        "planners.llm.local.host": "planners.llm.local.process_main",
        "planners.llm.local.hosted": "planners.llm.local.process_client",
        "planners.llm.local.pixtral": "planners.llm.local.families",
        "planners.llm.lora": "planners.llm.lora_merging",
        "planners.llm.play": "planners.play_",
        "planners.llm.play.serving": "planners.play_server",
        "planners.llm.prompting.known": "planners.llm.prompting.memory_lines",
        "planners.llm.prompting.pictures": "planners.llm.prompting.image_scaling",
        "planners.llm.providers.chat": "planners.llm.providers.chat_",
        "planners.llm.training": "planners.llm",
        "planners.llm.training.examples": "planners.llm.training_examples",
        "planners.llm.training.lora": "planners.llm.lora_merging",
        "planners.llm.training.tiny": "planners.llm.tiny_model",
        "planners.rule.errands": "planners.rule.running",
        "planners.rule.promise": "planners.rule.search_order",
        "ros_bridge.bags": "ros_bridge",
        "ros_bridge.bags.reading": "ros_bridge.bag_reading",
        "ros_bridge.bags.recording": "ros_bridge.bag_recording",
        "ros_bridge.guard.limit_checks": "ros_bridge.guard.command_checks",
        "ros_bridge.guard.limits": "ros_bridge.guard.command_checks",
        "ros_bridge.profiles.live": "ros_bridge.profiles.profile_check",
        "ros_bridge.robot.images": "ros_bridge.robot.image_decoding",
        "ros_bridge.robot.pictures": "ros_bridge.robot.camera_topics",
        "ros_bridge.serving": "ros_bridge",
        "ros_bridge.serving.following": "ros_bridge.served_trajectory",
        "ros_bridge.serving.navigating": "ros_bridge.simulated_nav2",
        "ros_bridge.serving.painter": "ros_bridge.served_pictures",
        "ros_bridge.serving.process": "ros_bridge.serving_process",
        "ros_bridge.serving.reaching": "ros_bridge.simulated_moveit",
        "ros_bridge.serving.served": "ros_bridge.served_robot",
        "ros_bridge.serving.written": "ros_bridge.served_messages",
        "ros_bridge.signals": "ros_bridge.process_signals",
        "ros_bridge.transport.dds.definitions": "ros_bridge.transport.dds.cdr_messages",
        "ros_bridge.transport.dds.names": "ros_bridge.transport.dds.wire_names",
        "ros_bridge.transport.dds.rawtypes": "ros_bridge.transport.dds.cdr_topic_types",
        "ros_bridge.transport.ros": "ros_bridge.transport.ros_",
        "skills.arm": "skills.discrete_actions.arm_",
        "skills.arm.arm_actions": "skills.discrete_actions.arm_actions",
        "skills.checkpoints.reading": "skills.checkpoints.read_checkpoint",
        "skills.chores": "skills.household",
        "skills.classical.collision": "skills.motion.collision",
        "skills.classical.drawing": "skills.classical.pull_over_edge",
        "skills.classical.driving": "skills.motion.driving",
        "skills.classical.grasps": "skills.classical.grasp_candidates",
        "skills.classical.hand": "skills.motion.held_object",
        "skills.classical.manipulation": "skills.motion.manipulation",
        "skills.classical.motion": "skills.motion.motions",
        "skills.classical.obstruction": "skills.motion.collision",
        "skills.classical.paths": "skills.motion.base_path_planning",
        "skills.classical.planning": "skills.motion.base_path_planning",
        "skills.classical.reaching": "skills.motion.standing_places",
        "skills.classical.rims": "skills.classical.plate_grasps",
        "skills.classical.ways": "skills.motion.arm_path_search",
        "skills.delegated": "skills",
        "skills.delegated.own": "skills.robot_actions",
        "skills.delegated.simulated": "skills.simulated_software",
        "skills.delegated.stand_ins": "skills.simulated_software",
        "skills.graph": "skills.discrete_actions",
        "skills.graph.driven": "skills.discrete_actions.driven_move",
        "skills.graph.going": "skills.discrete_actions.ideal_move",
        "skills.ideal": "skills.ideal_",
        "skills.motion.arm_paths": "skills.motion.arm_path_search",
        "skills.motion.hand": "skills.motion.held_object",
        "skills.motion.planning": "skills.motion.base_path_planning",
        "skills.motion.reaching": "skills.motion.standing_places",
        "skills.motion.ways": "skills.motion.arm_path_search",
        "skills.moves": "skills.discrete_actions",
        "skills.moves.driven": "skills.discrete_actions.driven_move",
        "skills.moves.going": "skills.discrete_actions.ideal_move",
        "skills.networks": "skills.policies",
        "skills.networks.device": "skills.checkpoints.device",
        "skills.nomad.pictures": "skills.nomad.preprocessing",
        "skills.octo": "skills.effector.octo_",
        "skills.own": "skills",
        "skills.own.skill_set": "skills.robot_actions",
        "skills.people": "skills.household",
        "skills.pixnav.pictures": "skills.pixnav.preprocessing",
        "skills.rt1x": "skills.effector.rt1x_",
        "skills.server": "skills.policy_",
        "skills.server.remote": "skills.remote_policies",
        "skills.server.serving": "skills.policy_server",
        "skills.steps": "skills.discrete_actions",
        "skills.steps.actions": "skills.discrete_actions.step_actions",
        "suites.authoring.homie_states": "suites.authoring.states_",
        "suites.authoring.vigil_checks": "suites.authoring.make_homie_vigil",
        "suites.authoring.written": "suites.authoring.suite_writing",
        "suites.leaderboard": "suites.leaderboard_",
        "suites.protocols": "suites.published",
        "suites.protocols.embodied_eval": "suites.published.embodied_eval_",
        "suites.protocols.embodiedbench": "suites.published.embodiedbench_files",
        "suites.questions.judging.run": "suites.questions.judging.judge_run",
        "suites.questions.making.chores": "suites.questions.making.chore_questions",
        "suites.questions.making.looking": "suites.questions.making.picture_questions",
        "suites.questions.making.marks": "suites.questions.making.numbered_marks",
        "suites.questions.making.paths": "suites.questions.making.path_questions",
        "suites.questions.making.plans": "suites.questions.making.plan_questions",
        "suites.questions.making.sight": "suites.questions.making.picture_contents",
        "suites.questions.making.unit": "suites.questions.making.question_unit",
        "suites.questions.making.uses": "suites.questions.making.uses_of_objects",
        "suites.questions.making.visits": "suites.questions.making.world_visits",
        "suites.questions.marks": "suites.questions.marked_answers",
        "suites.questions.plans": "suites.questions.written_plans",
        "suites.tables.again": "suites.tables.repeatability",
        "suites.vigil.run": "suites.vigil.play_episodes",
    }
)
"""Where a module or package is now, by the name that it had in version 0.1; what was in it moved with it. A name that
ends with `_` begins the names of the modules of a package: `skills.octo.text` is `skills.effector.octo_text`."""


def new_name(name: str) -> str | None:
    """Where a module is now, None for one that has not moved."""
    head, tail = name, ""
    while head and head not in MOVED:
        head, _, last = head.rpartition(".")
        tail = f".{last}{tail}"
    if not head:
        return None
    new = MOVED[head]
    if not new.endswith("_"):
        new += tail
    else:
        new = new + tail[1:] if tail else new.rpartition(".")[0]
    return new_name(new) or new  # it may have moved twice


class MovedModules:
    """Finds modules by their old names. It is asked first: a moved package would find its modules once more."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The specification of a module that has moved, None for any other."""
        new = new_name(name)
        if new is None:
            return None
        warnings.warn(
            f"{name} has moved: import {new}. The old name works for one release.", DeprecationWarning, stacklevel=2
        )
        return ModuleSpec(name, _Alias(new), is_package=True)


class _Alias(Loader):
    """Loads the module with the new name, and lets the old name mean the same object."""

    def __init__(self, new: str) -> None:
        self._new = new

    def create_module(self, spec: ModuleSpec) -> None:
        """Nothing: the module is made under its new name."""

    def exec_module(self, module: ModuleType) -> None:
        """Put the module in the place of the empty one of the old name."""
        new = importlib.import_module(self._new)
        if not hasattr(new, "__path__"):
            new.__path__ = []  # the old name may have been a package, whose modules Python asks for only in a package
        sys.modules[module.__name__] = new


def attribute(old: str, name: str, new: str) -> Any:
    """What has moved from a module that stays: for its `__getattr__`. Raises AttributeError for what has not."""
    try:
        value = None if name.startswith("_") else getattr(importlib.import_module(new), name, None)
    except ImportError:
        value = None
    if value is None:
        raise AttributeError(f"module {old!r} has no attribute {name!r}")
    warnings.warn(
        f"{old}.{name} has moved: import it from {new}. The old name works for one release.",
        DeprecationWarning,
        stacklevel=3,
    )
    return value


def renamed(module: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """A `__getattr__` for a module in which something is called otherwise than in version 0.1.

    Args:
        module: The module's `__name__`.
        names: New names by the old ones.

    Returns:
        A function that returns the attribute with the new name, with a DeprecationWarning. It raises AttributeError for
        names that are not old ones.
    """

    def getattribute(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        warnings.warn(
            f"{module}.{name} is called {names[name]} now. The old name works for one release.",
            DeprecationWarning,
            stacklevel=2,
        )
        return getattr(sys.modules[module], names[name])

    return getattribute


def renamed_members(cls: type, names: Mapping[str, str]) -> None:
    """Let what a class of another package defines under an old name count under the new one, with a warning.

    Args:
        cls: The class.
        names: New names by the old ones; `not NAME` for a property that says the opposite.
    """
    for old, name in names.items():
        new = name.removeprefix("not ")
        if old in cls.__dict__ and new not in cls.__dict__:
            warnings.warn(
                f"{cls.__name__}.{old} is called {new} now. The old name works for one release.",
                DeprecationWarning,
                stacklevel=4,
            )
            setattr(cls, new, cls.__dict__[old] if new == name else _opposite(old))


def _opposite(name: str) -> property:
    return property(lambda self: not getattr(self, name))


def install() -> None:
    """Make the old names importable."""
    sys.meta_path.insert(0, MovedModules())
