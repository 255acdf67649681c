/* SPDX-License-Identifier: MIT */
/* What functions of the C library, of libm and of the C++ runtime write to, as far as it is not simply "anything".
 *
 * Before instrumented code calls a function that was not compiled with the barrier, everything verified is forgotten,
 * unless the function is in this table. A row has a letter for each argument, and names; trailing dots are left out:
 *   .   not written to (also: not a pointer)           f   a printf format: written to through %n only
& that it points into is written to    *   so are those of this and all further arguments
 *   W   that block, and the block that the pointer found there leads to
 *   n   as many bytes as the next argument says        N   the product of the next two
 *   S   as the third argument says (memset)            C   the same, from the second (memcpy)
 *   i   an array of iovec, its length is next          m   a msghdr
 *   q   a mutex (40 bytes)                             r   a read-write lock (56 bytes)
 *   l   another lock (64 bytes)                        G   glob's flags: its functions may be the program's own
 *   x   kept: its block may be written to at any time  a   an aiocb: so may its buffer
 *   b   a buffer that is kept, also when its memory is freed and given out again
 *   k   a stack_t, u a ucontext_t: a stack to be used  g   getopt_long's options: their flags
 *   o   the name of a file, which may be /proc/self/mem; p relative to a folder
 *   c   a function that is called before this one returns
 *   h   a function that may be called at any time from now on; s a sigaction, e a sigevent that may have one
 *   P   the number of a process that is written to
 *   O   an ostream: what is left of its buffer         y   the number of a system call
 *   F   the kernel may write at any time from now on, to memory that is not named here
 *   E   (of no argument) the destructor of the exception that is handled is called
 * A row that starts with ! is about functions that wait: a signal handler may run, and check, before they write.
 * The rows were made once from glibc's headers, where `const` says what is not written to, and put right by hand. A
 * function that keeps pointers, or writes to what a pointer in its argument leads to, belongs in a row that says so or
 * in none. */
#ifndef RT_CHECK_CALLS_H
#define RT_CHECK_CALLS_H

#include <stddef.h>
#include <string.h>

struct known_calls {
	const char *how, *names;
};

/* clang-format off */
static const struct known_calls known_calls[] = {
	{"w.W",
	 "__strtok_r strtok_r wcstok"},
	{"",
	 "rf_literal rf_check rf_check_full rf_assert rf_touch rf_freed rf_alloced rf_forget "
	 "rf_check_get_stats rf_check_configure rf_check_skip rf_type_register rf_readable rf_memory rf_string "
	 "rf_ring rf_below_other rf_measure rf_why_int rf_why_ptr rf_why_double rf_why_relation "
	 "rf_begin_failure rf_failed_literal rf_failed_int rf_failed_compare rf_end_failure rf_violation "
	 "_IO_getc _IO_putc"},
	{"",
	 "_Exit _Fork _Unwind_Resume _ZNSt8ios_base4InitC1Ev _ZNSt8ios_base4InitD1Ev "
	 "_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base _ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base "
	 "_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base _ZSt9terminatev _ZdaPv _ZdaPvSt11align_val_t _ZdaPvm "
	 "_ZdaPvmSt11align_val_t _ZdlPv _ZdlPvRKSt9nothrow_t _ZdlPvSt11align_val_t _ZdlPvm "
	 "_ZdlPvmSt11align_val_t _Znam _ZnamRKSt9nothrow_t _ZnamSt11align_val_t _Znwm _ZnwmRKSt9nothrow_t "
	 "_ZnwmSt11align_val_t __assert_fail __assert_perror_fail __chk_fail __ctype_b_loc "
	 "__ctype_get_mb_cur_max __ctype_tolower_loc __ctype_toupper_loc __cxa_allocate_exception __cxa_atexit "
	 "__cxa_bad_cast __cxa_bad_typeid __cxa_begin_catch __cxa_free_exception __cxa_get_exception_ptr "
	 "__cxa_pure_virtual __cxa_rethrow __cxa_thread_atexit __cxa_throw __dynamic_cast __errno_location "
	 "__fbufsize __fdelt_chk __finite __finitef __finitel __fortify_fail __fpclassify __fpclassifyf "
	 "__fpclassifyl __fpending __fsetlocking __gmon_start__ __h_errno_location __isinf __isinff __isinfl "
	 "__isnan __isnanf __isnanl __libc_current_sigrtmax __libc_current_sigrtmin __libc_start_main "
	 "__longjmp_chk __memcmpeq __overflow __sched_cpualloc __sched_cpucount __signbit __signbitf "
	 "__signbitl __stack_chk_fail __tls_get_addr __uflow _exit _flushlbf _longjmp _tolower _toupper a64l "
	 "abort abs access acct acos acosf acosh acoshf acoshl acosl alarm aligned_alloc alphasort alphasort64 "
	 "arc4random arc4random_uniform asctime asin asinf asinh asinhf asinhl asinl atan atan2 atan2f atan2l "
	 "atanf atanh atanhf atanhl atanl atof atoi atol atoll basename bcmp bind brk btowc cabs cabsf cabsl "
	 "cacos cacosf cacosh cacoshf cacoshl cacosl calloc canonicalize_file_name carg cargf cargl casin "
	 "casinf casinh casinhf casinhl casinl catan catanf catanh catanhf catanhl catanl catclose catgets "
	 "catopen cbrt cbrtf cbrtl ccos ccosf ccosh ccoshf ccoshl ccosl ceil ceilf ceill cexp cexpf cexpl "
	 "cfgetispeed cfgetospeed cfree chdir chmod chown chroot cimag cimagf cimagl clearenv clearerr "
	 "clearerr_unlocked clock clock_settime clog clog10 clog10f clog10l clogf clogl close close_range "
	 "closedir closefrom closelog conj conjf conjl connect copysign copysignf copysignl cos cosf cosh "
	 "coshf coshl cosl cpow cpowf cpowl cproj cprojf cprojl creal crealf creall crypt csin csinf csinh "
	 "csinhf csinhl csinl csqrt csqrtf csqrtl ctan ctanf ctanh ctanhf ctanhl ctanl ctime daemon difftime "
	 "dirfd div dlsym dlvsym drand48 drem dremf dreml dup dup2 dup3 duplocale dysize eaccess endgrent "
	 "endhostent endnetent endnetgrent endprotoent endpwent endrpcent endservent endusershell epoll_create "
	 "epoll_create1 erf erfc erfcf erfcl erff erfl euidaccess eventfd eventfd_write execl execle execlp "
	 "execv execve execvp execvpe exit exp exp10 exp10f exp10l exp2 exp2f exp2l expf expl expm1 expm1f "
	 "expm1l fabs fabsf fabsl faccessat fallocate fallocate64 fchdir fchmod fchmodat fchown fchownat "
	 "fclose fcloseall fdatasync fdim fdimf fdiml fdopen fdopendir feclearexcept fedisableexcept "
	 "feenableexcept fegetexcept fegetround feof feof_unlocked feraiseexcept ferror ferror_unlocked "
	 "fesetenv fesetexcept fesetexceptflag fesetmode fesetround fetestexcept fetestexceptflag feupdateenv "
	 "fexecve fflush fflush_unlocked ffs ffsl ffsll fgetc fgetc_unlocked fileno fileno_unlocked finite "
	 "finitef finitel flock flockfile floor floorf floorl fma fmaf fmal fmax fmaxf fmaximum fmaximum_mag "
	 "fmaximum_mag_num fmaximum_mag_numf fmaximum_mag_numl fmaximum_magf fmaximum_magl fmaximum_num "
	 "fmaximum_numf fmaximum_numl fmaximumf fmaximuml fmaxl fmaxmag fmaxmagf fmaxmagl fmin fminf fminimum "
	 "fminimum_mag fminimum_mag_num fminimum_mag_numf fminimum_mag_numl fminimum_magf fminimum_magl "
	 "fminimum_num fminimum_numf fminimum_numl fminimumf fminimuml fminl fminmag fminmagf fminmagl fmod "
	 "fmodf fmodl fnmatch fork fpathconf fputc fputc_unlocked fputs fputs_unlocked fputwc fputwc_unlocked "
	 "fputws fputws_unlocked free freelocale fromfp fromfpf fromfpl fromfpx fromfpxf fromfpxl fseek fseeko "
	 "fseeko64 fsetpos fsetpos64 fsync ftell ftello ftello64 ftruncate ftruncate64 ftrylockfile fts_close "
	 "funlockfile futimens futimes futimesat fwrite fwrite_unlocked gamma gammaf gammal get_avphys_pages "
	 "get_current_dir_name get_nprocs get_nprocs_conf get_phys_pages getc getc_unlocked getchar "
	 "getchar_unlocked getdate getdtablesize getegid getenv geteuid getgid gethostid getlogin getpagesize "
	 "getpayload getpayloadf getpayloadl getpgid getpgrp getpid getppid getpriority getpt getsid gettid "
	 "getuid getumask getw getwchar getwchar_unlocked glob_pattern_p gmtime grantpt group_member gsignal "
	 "herror hstrerror htonl htons hypot hypotf hypotl iconv_close iconv_open if_nameindex if_nametoindex "
	 "ilogb ilogbf ilogbl imaxabs imaxdiv index inet_addr inet_lnaof inet_makeaddr inet_netof inet_network "
	 "inet_ntoa initgroups inotify_add_watch inotify_init inotify_init1 inotify_rm_watch isalnum isalnum_l "
	 "isalpha isalpha_l isascii isatty isblank isblank_l iscntrl iscntrl_l isctype isdigit isdigit_l "
	 "isfdtype isgraph isgraph_l isinf isinff isinfl islower islower_l isnan isnanf isnanl isprint "
	 "isprint_l ispunct ispunct_l isspace isspace_l isupper isupper_l iswalnum iswalnum_l iswalpha "
	 "iswalpha_l iswblank iswblank_l iswcntrl iswcntrl_l iswctype iswctype_l iswdigit iswdigit_l iswgraph "
	 "iswgraph_l iswlower iswlower_l iswprint iswprint_l iswpunct iswpunct_l iswspace iswspace_l iswupper "
	 "iswupper_l iswxdigit iswxdigit_l isxdigit isxdigit_l j0 j0f j0l j1 j1f j1l jn jnf jnl kill killpg "
	 "l64a labs lchmod lchown ldexp ldexpf ldexpl ldiv lgamma lgammaf lgammal link linkat listen llabs "
	 "lldiv llogb llogbf llogbl llrint llrintf llrintl llround llroundf llroundl localeconv localtime "
	 "lockf log log10 log10f log10l log1p log1pf log1pl log2 log2f log2l logb logbf logbl logf logl "
	 "longjmp lrand48 lrint lrintf lrintl lround lroundf lroundl lseek lseek64 lutimes madvise mallinfo "
	 "mallinfo2 malloc malloc_info malloc_stats malloc_trim malloc_usable_size mallopt mblen mbsinit "
	 "memalign memchr memcmp memfd_create memmem memrchr mkdir mkdirat mkfifo mkfifoat mknod mknodat mlock "
	 "mmap mmap64 mprotect mq_close mq_open mq_send mq_timedsend mq_unlink mrand48 mremap msync munlock "
	 "munmap nan nanf nanl nearbyint nearbyintf nearbyintl newlocale nextafter nextafterf nextafterl "
	 "nextdown nextdownf nextdownl nexttoward nexttowardf nexttowardl nextup nextupf nextupl nice "
	 "nl_langinfo nl_langinfo_l ntohl ntohs opendir openlog pathconf pause pclose perror popen "
	 "posix_fadvise posix_fadvise64 posix_fallocate posix_fallocate64 posix_madvise posix_openpt pow powf "
	 "powl psiginfo psignal pthread_cancel pthread_detach pthread_equal pthread_getconcurrency "
	 "pthread_getspecific pthread_key_delete pthread_kill pthread_self pthread_setaffinity_np "
	 "pthread_setattr_default_np pthread_setconcurrency pthread_setname_np pthread_setschedparam "
	 "pthread_setschedprio pthread_setspecific pthread_sigqueue pthread_testcancel pthread_yield ptsname "
	 "putc putc_unlocked putchar putchar_unlocked putgrent putpwent puts putw putwchar putwchar_unlocked "
	 "pvalloc pwrite pwrite64 pwritev pwritev2 pwritev64 pwritev64v2 quick_exit raise rand random "
	 "rawmemchr readahead realloc reallocarray remainder remainderf remainderl remove rename renameat "
	 "renameat2 revoke rewind rewinddir rindex rint rintf rintl rmdir round roundeven roundevenf "
	 "roundevenl roundf roundl rpmatch sbrk scalb scalbf scalbl scalbln scalblnf scalblnl scalbn scalbnf "
	 "scalbnl sched_get_priority_max sched_get_priority_min sched_getcpu sched_getscheduler "
	 "sched_setaffinity sched_setparam sched_setscheduler sched_yield secure_getenv seekdir sem_open "
	 "sem_unlink semtimedop send sendmsg sendto setcontext setdomainname setegid setenv seteuid setgid "
	 "setgrent setgroups sethostent sethostid sethostname setlinebuf setlocale setlogin setlogmask "
	 "setnetent setns setpgid setpgrp setpriority setprotoent setpwent setregid setresgid setresuid "
	 "setreuid setrlimit setrlimit64 setrpcent setservent setsid setsockopt settimeofday setuid "
	 "setusershell shutdown sigabbrev_np sigblock sigdescr_np siggetmask sighold sigignore siginterrupt "
	 "sigisemptyset sigismember siglongjmp significand significandf significandl sigpause sigqueue "
	 "sigrelse sigsetmask sigsuspend sin sinf sinh sinhf sinhl sinl sleep sockatmark socket sqrt sqrtf "
	 "sqrtl srand srand48 srandom strcasecmp strcasecmp_l strcasestr strchr strchrnul strcmp strcoll "
	 "strcoll_l strcspn strdup strerrordesc_np strerrorname_np strlen strncasecmp strncasecmp_l strncmp "
	 "strndup strnlen strpbrk strrchr strspn strstr strverscmp symlink symlinkat sync sync_file_range "
	 "syncfs sysconf system tan tanf tanh tanhf tanhl tanl tcdrain tcflow tcflush tcgetpgrp tcgetsid "
	 "tcsendbreak tcsetattr tcsetpgrp tee telldir tempnam tgamma tgammaf tgammal tgkill thrd_current "
	 "thrd_detach thrd_equal thrd_exit thrd_yield timer_delete timer_getoverrun timerfd_create tmpfile "
	 "tmpfile64 toascii tolower tolower_l totalorder totalorderf totalorderl totalordermag totalordermagf "
	 "totalordermagl toupper toupper_l towctrans towctrans_l towlower towlower_l towupper towupper_l trunc "
	 "truncate truncate64 truncf truncl tss_delete tss_get tss_set ttyslot tzset ualarm ufromfp ufromfpf "
	 "ufromfpl ufromfpx ufromfpxf ufromfpxl umask ungetc unlink unlinkat unlockpt unsetenv unshare "
	 "uselocale usleep utime utimensat utimes valloc versionsort versionsort64 vhangup wcscasecmp "
	 "wcscasecmp_l wcschr wcschrnul wcscmp wcscoll wcscoll_l wcscspn wcsdup wcslen wcsncasecmp "
	 "wcsncasecmp_l wcsncmp wcsnlen wcspbrk wcsrchr wcsspn wcsstr wcswcs wcswidth wctob wctrans wctrans_l "
	 "wctype wctype_l wcwidth wmemchr wmemcmp write writev y0 y0f y0l y1 y1f y1l yn ynf ynl"},
	/* results in memory that the library keeps: the folder's buffer; those of getpwnam, strerror and their
	 * like, which may be anywhere, are in no row */
	{"w",
	 "readdir readdir64"},
	{"..*",
	 "sscanf"},
	{"....w",
	 "statx"},
	{"...w",
	 "epoll_ctl inet_net_ntop prlimit prlimit64 regexec socketpair timer_settime "
	 "timerfd_settime"},
	{"...ww",
	 "getsockopt"},
	{".Gcw",
	 "glob glob64"},
	{"E",
	 "__cxa_end_catch"},
	{"..f",
	 "__dprintf_chk __fprintf_chk __syslog_chk __vdprintf_chk __vfprintf_chk __vsyslog_chk"},
	{"..w",
	 "__fxstat __lxstat __readlinkat_chk __xstat fcntl fcntl64 fstatat fstatat64 gcvt inet_net_pton "
	 "inet_nsap_ntoa inet_ntop inet_pton mbrlen mq_setattr pthread_attr_getaffinity_np "
	 "pthread_getaffinity_np pthread_sigmask qgcvt readlinkat regerror remquo remquof remquol "
	 "sched_getaffinity setitimer sigprocmask strptime strptime_l"},
	{"..w.w",
	 "getnameinfo"},
	{"..wcc",
	 "scandirat scandirat64"},
	{"..ww",
	 "ecvt fcvt getgrouplist qecvt qfcvt"},
	{"..www",
	 "ecvt_r fcvt_r qecvt_r qfcvt_r"},
	{".f",
	 "__printf_chk __vprintf_chk dprintf err errx fprintf syslog vdprintf verr verrx vfprintf vsyslog"},
	{".n",
	 "readlink"},
	{".p",
	 "__openat64_2 __openat_2 openat openat64"},
	{".w",
	 "__confstr_chk __getgroups_chk __ptsname_r_chk __readlink_chk __realpath_chk __ttyname_r_chk adjtime "
	 "clock_adjtime clock_getcpuclockid clock_getres clock_gettime confstr dladdr "
	 "fgetpos fgetpos64 frexp frexpf frexpl fstat fstat64 fstatfs fstatfs64 fstatvfs fstatvfs64 getdents64 "
	 "getgroups getitimer getpw getrlimit getrlimit64 getrusage gmtime_r if_indextoname inet_aton "
	 "inet_neta inet_nsap_addr lgamma_r lgammaf_r lgammal_r localtime_r lstat lstat64 modf modff modfl "
	 "mq_getattr pthread_attr_getdetachstate pthread_attr_getguardsize pthread_attr_getinheritsched "
	 "pthread_attr_getschedparam pthread_attr_getschedpolicy pthread_attr_getscope "
	 "pthread_attr_getsigmask_np pthread_attr_getstackaddr pthread_attr_getstacksize "
	 "pthread_barrierattr_getpshared pthread_condattr_getclock pthread_condattr_getpshared "
	 "pthread_getattr_np pthread_getcpuclockid pthread_getname_np pthread_mutex_getprioceiling "
	 "pthread_mutexattr_getprioceiling pthread_mutexattr_getprotocol pthread_mutexattr_getpshared "
	 "pthread_mutexattr_getrobust pthread_mutexattr_gettype pthread_rwlockattr_getkind_np "
	 "pthread_rwlockattr_getpshared pthread_setcancelstate pthread_setcanceltype pthread_tryjoin_np "
	 "ptsname_r putwc putwc_unlocked sched_getparam sched_rr_get_interval srand48_r srandom_r "
	 "stat stat64 statfs statfs64 statvfs statvfs64 strerror_r strtod strtod_l strtof strtof128_l "
	 "strtof32_l strtof32x_l strtof64_l strtof64x_l strtof_l strtoimax strtol strtol_l strtold strtold_l "
	 "strtoll strtoll_l strtoq strtoul strtoul_l strtoull strtoull_l strtoumax strtouq tcgetattr "
	 "timer_gettime timerfd_gettime ttyname_r ungetwc wcstod wcstod_l wcstof wcstof128_l wcstof32_l "
	 "wcstof32x_l wcstof64_l wcstof64x_l wcstof_l wcstoimax wcstol wcstol_l wcstold wcstold_l wcstoll "
	 "wcstoll_l wcstoq wcstoul wcstoul_l wcstoull wcstoull_l wcstoumax wcstouq getopt"},
	{".t",
	 "asctime_r bcopy ctime_r realpath swab"},
	{".w.w",
	 "getdirentries getdirentries64"},
	{".wcc",
	 "scandir scandir64"},
	{".ww",
	 "pthread_attr_getstack pthread_getschedparam readdir64_r readdir_r sincos sincosf sincosl getpeername "
	 "getsockname"},
	{".ww.w",
	 "fgetgrent_r fgetpwent_r getgrgid_r getgrnam_r getpwnam_r getpwuid_r"},
	{".wwww",
	 "prctl"},
	{".b",
	 "initstate setbuf setbuffer setvbuf"},
	{".b.b",
	 "initstate_r"},
	{"C",
	 "__memcpy_chk __memmove_chk __mempcpy_chk memcpy memmove mempcpy"},
	{"S",
	 "__memset_chk memset"},
	{"a",
	 "aio_read aio_read64 aio_write aio_write64"},
	{"f",
	 "printf vprintf vwarn vwarnx warn warnx"},
	{".a",
	 "aio_fsync aio_fsync64"},
	{"P",
	 "process_vm_writev"},
	{".P.w",
	 "ptrace"},
	{".hh",
	 "register_printf_function register_printf_specifier"},
	{"kw",
	 "sigaltstack"},
	{"n",
	 "bzero explicit_bzero getcwd getentropy gethostname strftime"},
	{"n...f",
	 "__snprintf_chk __vsnprintf_chk"},
	{"n.f",
	 "snprintf vsnprintf"},
	{"o",
	 "__open64_2 __open_2 creat creat64 fopen fopen64 freopen freopen64 open open64"},
	{"q",
	 "mtx_destroy mtx_init mtx_trylock mtx_unlock pthread_mutex_destroy pthread_mutex_init "
	 "pthread_mutex_trylock pthread_mutex_unlock"},
	{"!q",
	 "mtx_lock mtx_timedlock pthread_mutex_clocklock pthread_mutex_lock pthread_mutex_timedlock"},
	{"r",
	 "pthread_rwlock_destroy pthread_rwlock_init pthread_rwlock_tryrdlock pthread_rwlock_trywrlock "
	 "pthread_rwlock_unlock"},
	{"!r",
	 "pthread_rwlock_clockrdlock pthread_rwlock_clockwrlock pthread_rwlock_rdlock pthread_rwlock_timedrdlock "
	 "pthread_rwlock_timedwrlock pthread_rwlock_wrlock"},
	{"!l",
	 "pthread_spin_lock"},
	{"uh",
	 "makecontext"},
	{"w",
	 "__pthread_register_cancel __pthread_unregister_cancel"},
	{"w",
	 "__cxa_guard_abort __cxa_guard_acquire __cxa_guard_release __explicit_bzero_chk __getcwd_chk "
	 "__getdomainname_chk __gethostname_chk __getlogin_r_chk __getwd_chk __sched_cpufree __sigsetjmp "
	 "__wcpcpy_chk __wcpncpy_chk __wctomb_chk __wmemcpy_chk __wmemmove_chk __wmempcpy_chk __wmemset_chk "
	 "_dl_mcount_wrapper_check _setjmp arc4random_buf backtrace backtrace_symbols backtrace_symbols_fd "
	 "canonicalize canonicalizef canonicalizel cfmakeraw cfsetispeed cfsetospeed cfsetspeed cnd_broadcast "
	 "cnd_destroy cnd_init cnd_signal ctermid cuserid dirname erand48 fegetenv fegetexceptflag fegetmode "
	 "feholdexcept fgetwc fgetwc_unlocked freeaddrinfo fwide getcontext getdomainname getloadavg getlogin_r "
	 "getwc getwc_unlocked globfree globfree64 if_freenameindex jrand48 lcong48 mbtowc mkdtemp mkostemp "
	 "mkostemp64 mkostemps mkostemps64 mkstemp mkstemp64 mkstemps mkstemps64 mktemp mktime nrand48 pipe pipe2 "
	 "posix_memalign pthread_attr_destroy pthread_attr_init pthread_attr_setaffinity_np "
	 "pthread_attr_setdetachstate pthread_attr_setguardsize pthread_attr_setinheritsched "
	 "pthread_attr_setschedparam pthread_attr_setschedpolicy pthread_attr_setscope pthread_attr_setsigmask_np "
	 "pthread_attr_setstacksize pthread_barrier_destroy pthread_barrier_init pthread_barrierattr_destroy "
	 "pthread_barrierattr_init pthread_barrierattr_setpshared pthread_cond_broadcast pthread_cond_destroy "
	 "pthread_cond_init pthread_cond_signal pthread_condattr_destroy pthread_condattr_init "
	 "pthread_condattr_setclock pthread_condattr_setpshared pthread_exit pthread_getattr_default_np "
	 "pthread_mutex_consistent pthread_mutex_consistent_np pthread_mutexattr_destroy pthread_mutexattr_init "
	 "pthread_mutexattr_setprioceiling pthread_mutexattr_setprotocol pthread_mutexattr_setpshared "
	 "pthread_mutexattr_setrobust pthread_mutexattr_setrobust_np pthread_mutexattr_settype "
	 "pthread_rwlockattr_destroy pthread_rwlockattr_init pthread_rwlockattr_setkind_np "
	 "pthread_rwlockattr_setpshared pthread_spin_destroy pthread_spin_init pthread_spin_trylock "
	 "pthread_spin_unlock rand_r regcomp regfree rresvport rresvport_af seed48 sem_close sem_destroy sem_init "
	 "sem_post sem_trywait setjmp setpayload setpayloadf setpayloadl setpayloadsig setpayloadsigf "
	 "setpayloadsigl sigaddset sigandset sigdelset sigemptyset sigfillset sigorset sigpending sigreturn "
	 "sigsetjmp swapcontext sysinfo time timegm timelocal times timespec_get timespec_getres tmpnam tmpnam_r "
	 "uname wctomb"},
	{"t",
	 "memccpy memfrob stpcpy stpncpy strcat strcpy strfry strncat strncpy strxfrm strxfrm_l wcpcpy wcpncpy "
	 "wcscat wcscpy wcsncat wcsncpy wcstombs wcsxfrm wcsxfrm_l wmemcpy wmemmove wmempcpy wmemset mbstowcs "
	 "getwd wcsftime wcsftime_l strfromd strfromf strfroml strftime_l"},
	{"w..c",
	 "qsort qsort_r"},
	{"w..f",
	 "__sprintf_chk __vsprintf_chk"},
	{"w..w",
	 "mbrtoc16 mbrtoc32 mbrtoc8 mbrtowc"},
	{"w.f",
	 "__asprintf_chk __vasprintf_chk"},
	{"w.w",
	 "__wcrtomb_chk c16rtomb c32rtomb c8rtomb fgetws fgetws_unlocked pthread_mutex_setprioceiling wcrtomb"},
	{"wc",
	 "call_once pthread_once"},
	{"wf",
	 "__asprintf asprintf vasprintf"},
	{"tf",
	 "sprintf vsprintf"},
	{"ww",
	 "drand48_r getcpu gettimeofday lcong48_r lrand48_r mrand48_r pthread_mutexattr_getrobust_np random_r "
	 "seed48_r sem_getvalue"},
	{"ww.w",
	 "getgrent_r getpwent_r"},
	{"www",
	 "erand48_r getresgid getresuid jrand48_r nrand48_r"},
	{"wx",
	 "pthread_attr_setstack pthread_attr_setstackaddr"},
	{"x",
	 "strtok"},
	{"b",
	 "fmemopen putenv setstate"},
	{"xx",
	 "open_memstream open_wmemstream"},
	{"bb",
	 "setstate_r"},
	{"!.*",
	 "scanf"},
	{"!..*",
	 "fscanf"},
	{"!...w",
	 "clock_nanosleep getaddrinfo"},
	{"!..w",
	 "sendfile sendfile64 waitid"},
	{"!.i",
	 "preadv preadv2 preadv64 preadv64v2 readv vmsplice"},
	{"!.m",
	 "recvmsg"},
	{"!.n",
	 "__pread64_chk __pread_chk __read_chk __recv_chk pread pread64 read recv"},
	{"!.n...ww",
	 "__recvfrom_chk"},
	{"!.n..ww",
	 "recvfrom"},
	{"!.w",
	 "epoll_pwait epoll_pwait2 epoll_wait eventfd_read nanosleep pthread_clockjoin_np pthread_join "
	 "pthread_timedjoin_np sigtimedwait sigwait sigwaitinfo thrd_join thrd_sleep waitpid"},
	{"!.w.w",
	 "copy_file_range mq_receive mq_timedreceive splice wait4"},
	{"!.ww",
	 "accept accept4"},
	{"!.www",
	 "pselect"},
	{"!.wwww",
	 "select"},
	{"!N",
	 "__fread_chk __fread_unlocked_chk fread fread_unlocked"},
	{"!WW",
	 "__getdelim getdelim getline"},
	{"!n",
	 "__fgets_chk __fgets_unlocked_chk fgets fgets_unlocked getrandom"},
	{"!w",
	 "__poll_chk __ppoll_chk poll ppoll pthread_barrier_wait sem_clockwait sem_timedwait sem_wait wait"},
	{"!w..w",
	 "__fgetws_chk __fgetws_unlocked_chk"},
	{"!w.w",
	 "wait3"},
	{"!ww",
	 "cnd_timedwait cnd_wait pthread_cond_clockwait pthread_cond_timedwait pthread_cond_wait"},
	{"....c",
	 "bsearch"},
	{".e",
	 "mq_notify"},
	{".ew",
	 "timer_create"},
	{"h",
	 "_ZSt13set_terminatePFvvE _ZSt15set_new_handlerPFvvE at_quick_exit atexit on_exit register_printf_type"},
	{".b",
	 "_ZNSt12strstreambuf6setbufEPcl _ZNSt13basic_filebufIcSt11char_traitsIcEE6setbufEPcl "
	 "_ZNSt13basic_filebufIwSt11char_traitsIwEE6setbufEPwl "
	 "_ZNSt15basic_streambufIcSt11char_traitsIcEE9pubsetbufEPcl "
	 "_ZNSt15basic_stringbufIcSt11char_traitsIcESaIcEE6setbufEPcl"},
	{".h",
	 "__sysv_signal bsd_signal signal sigset ssignal sysv_signal"},
	{".sw",
	 "sigaction"},
	{".w.gw",
	 "getopt_long getopt_long_only"},
	{"F",
	 "clone getaddrinfo_a io_setup io_submit io_uring_queue_init io_uring_queue_init_params io_uring_setup "
	 "lio_listio lio_listio64 userfaultfd"},
	{"O",
	 "_ZNSo3putEc _ZNSo5flushEv _ZNSo9_M_insertIPKvEERSoT_ _ZNSo9_M_insertIbEERSoT_ "
	 "_ZNSo9_M_insertIdEERSoT_ _ZNSo9_M_insertIlEERSoT_ _ZNSo9_M_insertImEERSoT_ _ZNSolsEPFRSoS_E "
	 "_ZNSolsEPKv _ZNSolsEb _ZNSolsEd _ZNSolsEi _ZNSolsEj _ZNSolsEl _ZNSolsEm "
	 "_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l "
	 "_ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_ "
	 "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc "
	 "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c"},
	{"W",
	 "strsep"},
	/* OpenMP: what is written is written by the functions that are handed over */
	{"hw",
	 "GOMP_parallel GOMP_parallel_loop_dynamic GOMP_parallel_loop_guided "
	 "GOMP_parallel_loop_maybe_nonmonotonic_runtime GOMP_parallel_loop_nonmonotonic_dynamic "
	 "GOMP_parallel_loop_nonmonotonic_guided GOMP_parallel_loop_nonmonotonic_runtime GOMP_parallel_loop_runtime "
	 "GOMP_parallel_loop_static GOMP_parallel_sections"},
	{"hwh",
	 "GOMP_task"},
	/* of programs that are compiled to be counted or traced */
	{"",
	 "__cyg_profile_func_enter __cyg_profile_func_exit __gcov_average_profiler __gcov_exit __gcov_fork "
	 "__gcov_indirect_call_profiler_v4 __gcov_init __gcov_interval_profiler __gcov_ior_profiler "
	 "__gcov_merge_add __gcov_pow2_profiler __gcov_time_profiler_counter __gcov_topn_values_profiler"},
	{"",
	 "GOMP_atomic_end GOMP_atomic_start GOMP_barrier GOMP_critical_end GOMP_critical_start GOMP_loop_end "
	 "GOMP_loop_end_nowait GOMP_sections_end GOMP_sections_end_nowait GOMP_single_start GOMP_taskwait"},
	{"hhh",
	 "pthread_atfork"},
	{"w.h",
	 "pthread_create"},
	{"wh",
	 "pthread_key_create tss_create thrd_create"},
	{"!y",
	 "syscall"},
};
/* clang-format on */

/* The runtime's function for a letter, where it takes the argument alone; NULL: it takes more. */
static inline const char *known_helper(char letter)
{
	static const struct {
		const char *letters, *helper;
	} helpers[] = {{"w", "rf_block"},   {"t*", "rf_unbounded"}, {"W", "rf_deep"},    {"m", "rf_message"},
		       {"x", "rf_kept"},    {"b", "rf_buffer"},     {"a", "rf_aio"},     {"k", "rf_stack"},
		       {"u", "rf_context"}, {"o", "rf_path"},       {"f", "rf_format"},  {"c", "rf_called"},
		       {"h", "rf_handler"}, {"s", "rf_action"},     {"e", "rf_event"},   {"p", "rf_path_at"},
		       {"g", "rf_options"}, {"O", "rf_stream"},     {"y", "rf_syscall"}, {"P", "rf_process"},
		       {"G", "rf_glob"}};
	for (size_t i = 0; letter && i < sizeof helpers / sizeof *helpers; i++)
		if (strchr(helpers[i].letters, letter))
			return helpers[i].helper;
	return NULL;
}

/* The bytes that a letter stands for by itself; 0: none. */
static inline unsigned known_bytes(char letter)
{
	return letter == 'q' ? 40 : letter == 'r' ? 56 : letter == 'l' ? 64 : 0;
}

/* May the argument be a number, or must it be looked at even if it is memory of this function alone? */
static inline int known_always(char letter)
{
	return strchr("WfopgchseOyPFG", letter) != NULL;
}

/* After a function that waits: 1 if the argument's block may have been written to once more, 2 if more than that, 3 if
 * only the lock at the argument. */
static inline int known_after(char letter)
{
	return strchr("wtnN*SC", letter) ? 1 : strchr("Wimgy", letter) ? 2 : known_bytes(letter) ? 3 : 0;
}

/* Does a function so described keep an argument that it, the kernel or a signal uses later? */
static inline int known_keeps(const char *how)
{
	return strpbrk(how, "xbakuhseFyP") != NULL;
}

static inline int known_opens(const char *how)
{
	return strpbrk(how, "op") != NULL;
}

/* Does the text of an asm statement ask the kernel itself? */
static inline int known_system_call(const char *text)
{
	return strstr(text, "syscall") || strstr(text, "sysenter") || strstr(text, "int $") || strstr(text, "int\t$");
}

/* The letters of a function's arguments; NULL: nothing is known of it. */
static inline const char *known_call(const char *name)
{
	size_t n = strlen(name);
	for (size_t i = 0; n && i < sizeof known_calls / sizeof *known_calls; i++)
		for (const char *p = known_calls[i].names; (p = strstr(p, name)) != NULL; p += n)
			if ((p == known_calls[i].names || p[-1] == ' ') && (p[n] == ' ' || !p[n]))
				return known_calls[i].how;
	return NULL;
}

#endif
