/* SPDX-License-Identifier: MIT
 *
 * The least program there is; built static, dynamic, and with the section by
 * which Go programs are told, for the checks of `gtrace record`.
 */
#ifdef LOOK_LIKE_GO
__attribute__((section(".go.buildinfo"), used)) static const char build_info[] =
    "\xff Go buildinf:";
#endif

int main(void)
{
	return 0;
}
