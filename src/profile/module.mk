# libdw reads signatures; where the installed tools are (runtime/valgrind)
MODULE_LIBS += -ldw -lelf
$(BUILD)/obj/src/core/valgrind_launch.o: ALL_CFLAGS += -DRF_LIBEXECDIR='"$(LIBEXECDIR)"'
