"""M3 (Gu et al., 2022): seven recurrent networks, from depth pictures and a 3-D goal to base, arm and gripper."""
