"""Bodies: each a MuJoCo model, its kinematics and how it grasps."""
