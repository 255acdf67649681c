/* SPDX-License-Identifier: MIT */
/* A counting solver: count_solver LOG SOLVER ARG…  Passes standard input on to the solver and appends one line to LOG
 * for each check-sat or check-sat-assuming command it sees (not inside strings, quoted symbols or comments). */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int log_fd;

static void count(void)
{
	if (write(log_fd, "check-sat\n", 10) != 10)
		_exit(3);
}

/* One byte of the script: follows strings, quoted symbols and comments, and the word after "(". */
static void scan(char c)
{
	static char inside; /* ", | or ; while in one of them */
	static char word[24];
	static size_t n;
	static int in_word;
	if (inside) {
		if (c == (inside == ';' ? '\n' : inside))
			inside = 0;
		return;
	}
	if (in_word) {
		int ends = strchr(" \t\r\n()", c) != NULL;
		if (!ends && n < sizeof word - 1) {
			word[n++] = c;
			return;
		}
		word[n] = '\0';
		in_word = 0;
		if (ends && (strcmp(word, "check-sat") == 0 || strcmp(word, "check-sat-assuming") == 0))
			count();
	}
	if (c == '(') {
		in_word = 1;
		n = 0;
	} else if (c == '"' || c == '|' || c == ';') {
		inside = c;
	}
}

int main(int argc, char **argv)
{
	int to[2];
	if (argc < 3)
		return 2;
	log_fd = open(argv[1], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (log_fd < 0 || pipe(to) != 0) {
		perror("count_solver");
		return 3;
	}
	pid_t child = fork();
	if (child == 0) {
		dup2(to[0], 0);
		close(to[0]);
		close(to[1]);
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	close(to[0]);
	signal(SIGPIPE, SIG_IGN);
	char buffer[65536];
	ssize_t got;
	while ((got = read(0, buffer, sizeof buffer)) > 0 || (got < 0 && errno == EINTR)) {
		for (ssize_t i = 0; i < got; i++)
			scan(buffer[i]);
		for (ssize_t done = 0, put; done < got; done += put)
			if ((put = write(to[1], buffer + done, (size_t)(got - done))) < 0)
				break;
	}
	close(to[1]);
	int status = 0;
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}
