package io.godwit.broker.settings;

import io.godwit.broker.config.key.ConfigKey;

/** {@code memoryConfig}. */
public record MemorySection(
        @ConfigKey(value = "85", min = 11, max = 99, orZero = true, reload = true, text = """
                    Percent of the heap in use, garbage not counted, at which it is short; enough is 10 below. 0 =
                    never.
                    """)
        int maxHeapPercent,

        @ConfigKey(value = "85", min = 11, max = 99, orZero = true, reload = true, text = """
                    The same for buffers outside the heap, of -XX:MaxDirectMemorySize (which is as much as the heap
                    unless set).
                    """)
        int maxDirectPercent) {}
