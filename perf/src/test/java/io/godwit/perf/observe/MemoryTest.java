package io.godwit.perf.observe;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class MemoryTest {
    @Test
    void theHeapIsReadFromWhatJcmdSaysOnEitherJvm() {
        String on17 = """
                1234:
                 garbage-first heap   total 524288K, used 31522K [0x00000000e0000000, 0x0000000100000000)
                  region size 1024K, 12 young (12288K), 2 survivors (2048K)
                 Metaspace       used 9000K, committed 9216K, reserved 1114112K
                """;
        String ofGenerations = """
                1234:
                 def new generation   total 78656K, used 1000K [0x0000000084c00000, 0x000000008a150000)
                  eden space 69952K,   1% used [0x0000000084c00000, 0x0000000084cf2108)
                 tenured generation   total 174784K, used 20000K [0x00000000d8150000, 0x00000000e2c00000)
                 Metaspace       used 9000K, committed 9216K, reserved 1114112K
                """;
        String on25 = """
                1234:
                 garbage-first heap   total reserved 524288K, committed 65536K, used 7168K [0x00000000e0000000, \
                 0x0000000100000000)
                """;
        assertThat(JavaHeap.used(on17)).hasValue(31_522 * 1_024L);
        assertThat(JavaHeap.used(on25)).hasValue(7_168 * 1_024L);
        assertThat(JavaHeap.used(ofGenerations)).hasValue(21_000 * 1_024L);
        assertThat(JavaHeap.used("1234: no such process")).isEmpty();
    }

    @Test
    void theHeapOfThisProcessIsLessThanItMayTake() throws Exception {
        assertThat(JavaHeap.usedBytes(ProcessHandle.current().pid()).orElseThrow())
                .isBetween(1_000_000L, Runtime.getRuntime().maxMemory());
    }

    @Test
    void theKernelsPartIsTheOneItCannotGiveBack() {
        List<String> meminfo = List.of("MemTotal:  100 kB", "SReclaimable: 7 kB", "SUnreclaim:        12 kB");
        assertThat(KernelMemory.parse(meminfo)).hasValue(12 * 1_024L);
    }
}
