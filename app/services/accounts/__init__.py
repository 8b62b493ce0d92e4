"""Who people are: accounts, sign-in, invitations, roles and preferences."""
