package io.godwit.it.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.Ports;
import io.godwit.testing.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A node is killed, its disk fills to the last byte, and it starts all the same: degraded, until there is room again.
 * The disk is a tmpfs in a mount namespace of this test.
 */
@Tag("full")
class FullDiskStartTest {
    /** Twice what the reserve and the files that a start deletes give back, and less than what the disk has. */
    private static final int LOW_WATER_BYTES = 256 << 20;

    private static final String SCRIPT = """
            set -u
            script=$1 home=$2
            disk=$home/disk
            mkdir "$disk" && mount -t tmpfs -o size=640m none "$disk" || exit 99
            trap 'kill -9 $(cat "$disk/data/godwit.pid" 2>/dev/null) 2>/dev/null' EXIT
            broker() { "$script" "$@" --config "$home/c.yml" --data "$disk/data" --log "$home/log"; }
            await() { for i in $(seq 300); do "$@" && return; sleep 0.1; done; echo "gave up: $*"; exit 1; }
            reserved() { [ "$(stat -c %s "$disk/data/reserve" 2>/dev/null)" = 16777216 ]; }
            serves() { broker status >"$home/status"; }
            ended() { ! kill -0 "$1" 2>/dev/null; }
            broker start || exit 1
            await reserved
            pid=$(cat "$disk/data/godwit.pid")
            kill -9 "$pid"
            await ended "$pid"
            cat /dev/zero >"$disk/filler" 2>/dev/null
            echo "free: $(stat -f -c %a "$disk")"
            broker start
            echo "start: $?"
            broker status
            echo "status: $?"
            rm "$disk/filler"
            await serves
            await reserved
            echo "made again"
            broker stop
            """;

    @TempDir
    Path home;

    @Test
    void aNodeStartsOnADiskThatIsFullToTheLastByte() throws Exception {
        Needs.needOr(runs("unshare", "-rm", "true"), "namespaces", "no namespace of users and mounts may be made here");
        Files.writeString(home.resolve("c.yml"), """
                bootstrap: true
                apiServerConfig: {enable: false}
                mqttServerConfig:
                  tcpListener:
                    port: %d
                """.formatted(Ports.free().getPort()));
        Path script = Files.writeString(home.resolve("script.sh"), SCRIPT);
        Path output = home.resolve("output");
        ProcessBuilder builder = new ProcessBuilder(
                        "unshare",
                        "-rm",
                        "bash",
                        script.toString(),
                        BrokerProcess.distribution()
                                .resolve("bin/standalone.sh")
                                .toString(),
                        home.toString())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("JVM_HEAP_OPTS", "-Xmx256m");
        builder.environment().put("JVM_OPTS", "-Dkv_disk_low_water_bytes=" + LOW_WATER_BYTES);
        builder.environment().put("GODWIT_CACHE", "off");
        Process process = builder.start();
        assertThat(process.waitFor(3, TimeUnit.MINUTES)).isTrue();
        String said = Files.readString(output);
        assertThat(process.exitValue()).as(said).isZero();
        assertThat(said)
                .contains("free: 0\n", "start: 4\n", "does not fully serve", "status: 4\n", "made again", "stopped");
        assertThat(log()).contains("disk full, the reserve for a start is used", "writes accepted again");
    }

    private String log() throws IOException {
        return Files.readString(home.resolve("log/godwit.log"));
    }

    private static boolean runs(String... command) throws Exception {
        return new ProcessBuilder(List.of(command)).start().waitFor() == 0;
    }
}
