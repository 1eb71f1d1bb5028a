/*
 * A folder for a test's files, made when it is first asked for and removed with all that is in it
 * when the test ends, by a failed assertion or a signal as well.
 */
#ifndef FT_TESTS_SUPPORT_TEMPORARY_FOLDER_H
#define FT_TESTS_SUPPORT_TEMPORARY_FOLDER_H

#define TEMPORARY_PATH_MAX 4096

/* Its path, of this process's; ends the process where it cannot be made. */
const char *temporary_folder(void);
void enter_temporary_folder(void);

#endif
