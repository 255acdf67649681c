# The contract runtime is part of librefrain-rt (RT_SRC); tests of it link that archive.
$(BUILD)/obj/runtime/rt/%.o: MODULE_CFLAGS += -Iruntime/rt
$(BUILD)/tests/test_check_rt: LIBS += $(BUILD)/librefrain-rt.a
$(BUILD)/tests/test_check_rt: $(BUILD)/librefrain-rt.a
