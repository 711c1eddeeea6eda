"""M3 (Gu et al., 2022): seven recurrent networks that control base, arm and gripper from depth images and a 3-D
goal."""
