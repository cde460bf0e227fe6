package io.godwit.it.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PortsTest {
    @Test
    void aPortOfThisProcessIsReservedOnceThoughNobodyListens() throws Exception {
        int port = Ports.free().getPort();
        assertThat(Ports.reserve(port)).isFalse();
        assertThat(reserveElsewhere(port)).isEqualTo("false");
    }

    @Test
    void aPortOfAProcessThatHasEndedIsFree() throws Exception {
        int port = 19_999; // below those of free()
        assertThat(reserveElsewhere(port)).isEqualTo("true");
        assertThat(reserveElsewhere(port)).isEqualTo("true");
    }

    private static String reserveElsewhere(int port) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Reserve.class.getName(),
                        String.valueOf(port))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        return said;
    }

    static final class Reserve {
        private Reserve() {}

        public static void main(String[] args) throws IOException {
            System.out.println(Ports.reserve(Integer.parseInt(args[0])));
        }
    }
}
