/* SPDX-License-Identifier: MIT */
/* Real servers for a test: started on loopback or on a socket in the test's folder, stopped by the test, and dead
 * when the test is (the kernel ends them with their parent). Include folder.h and testing.h first. */
#ifndef TESTS_SERVERS_H
#define TESTS_SERVERS_H

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* Starts a program whose output goes to NAME.log in the folder. */
static pid_t start_program(const char *name, char *const argv[])
{
	char log[32];
	snprintf(log, sizeof log, "%.20s.log", name);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		int fd = open(path_of(log), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(fd, 1);
		dup2(fd, 2);
		execvp(argv[0], argv);
		_exit(127);
	}
	return pid;
}

__attribute__((unused)) static void stop_program(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* A port of loopback on which nobody listens now. */
__attribute__((unused)) static int free_port(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t n = sizeof a;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof a), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &n), 0);
	close(fd);
	return ntohs(a.sin_port);
}

static bool connects(const struct sockaddr *a, socklen_t n)
{
	int fd = socket(a->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool yes = connect(fd, a, n) == 0;
	close(fd);
	return yes;
}

/* Waits until the server takes connections: a minute at most, or until it died. */
static bool await_server(pid_t pid, const struct sockaddr *a, socklen_t n)
{
	for (int i = 0; i < 6000; i++) {
		if (connects(a, n))
			return true;
		if (waitpid(pid, NULL, WNOHANG) == pid)
			return false;
		usleep(10000);
	}
	return false;
}

/* A Redis server on the socket NAME.sock, with one more word pair of configuration (NULL: none). */
static pid_t start_redis(const char *name, const char *option, const char *value)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	int len = snprintf(a.sun_path, sizeof a.sun_path, "%s/%s.sock", folder, name);
	assert_true(len < (int)sizeof a.sun_path);
	char *argv[16] = {"redis-server", "--port", "0", "--unixsocket", a.sun_path, "--save", "", "--dir", folder};
	if (option) {
		argv[9] = (char *)option;
		argv[10] = (char *)value;
	}
	pid_t pid = start_program(name, argv);
	assert_true(await_server(pid, (struct sockaddr *)&a, sizeof a));
	return pid;
}

/* nginx that keeps what is PUT below /cache/, and answers 403 to a PUT below /fixed/ and to everything below
 * /closed/ without the token "sesame". */
__attribute__((unused)) static pid_t start_nginx(int *port)
{
	*port = free_port();
	FILE *f = fopen(path_of("nginx.conf"), "w");
	assert_non_null(f);
	fprintf(f,
		"%sdaemon off; master_process off; error_log stderr; pid %s/nginx.pid;\n"
		"events { worker_connections 64; }\n"
		"http { access_log off; client_body_temp_path %s/body; proxy_temp_path %s/a; fastcgi_temp_path %s/b;\n"
		"uwsgi_temp_path %s/c; scgi_temp_path %s/d;\n"
		"server { listen 127.0.0.1:%d; root %s/www; client_max_body_size 1m;\n"
		"location /cache/ { dav_methods PUT; create_full_put_path on; }\n"
		"location /fixed/ { limit_except GET { deny all; } }\n"
		"location /closed/ { if ($http_authorization != \"Bearer sesame\") { return 403; } dav_methods PUT;\n"
		"create_full_put_path on; } } }\n",
		getuid() == 0 ? "user root;\n" : "", folder, folder, folder, folder, folder, folder, *port, folder);
	fclose(f);
	setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
	char *argv[] = {"nginx", "-p", folder, "-c", path_of("nginx.conf"), NULL};
	pid_t pid = start_program("nginx", argv);
	struct sockaddr_in a = {
		.sin_family = AF_INET, .sin_port = htons((uint16_t)*port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	assert_true(await_server(pid, (struct sockaddr *)&a, sizeof a));
	return pid;
}

#endif
