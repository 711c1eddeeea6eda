"""Robot bodies: each a MuJoCo model with its kinematics and gripper parameters."""
