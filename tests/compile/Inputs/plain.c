/* SPDX-License-Identifier: MIT */
int plain(void)
{
    return 1;
}
