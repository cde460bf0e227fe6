package io.godwit.broker.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PortHoldersTest {
    private static final String HEAD =
            "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid" + "  timeout inode\n";

    @TempDir
    private Path proc;

    private void table(String name, String lines) throws IOException {
        Files.createDirectories(proc.resolve("net"));
        Files.writeString(proc.resolve("net").resolve(name), HEAD + lines);
    }

    private static String line(String address, String state, int user, int inode) {
        return "   0: " + address + " 00000000:0000 " + state + " 00000000:00000000 00:00000000 00000000 " + user
                + "        0 " + inode + " 1 0000000000000000 100 0 0 10 0\n";
    }

    private void process(String pid, String commandLine, int inode) throws IOException {
        Path files = Files.createDirectories(proc.resolve(pid).resolve("fd"));
        Files.writeString(proc.resolve(pid).resolve("cmdline"), commandLine);
        Files.createSymbolicLink(files.resolve("0"), Path.of("/dev/null"));
        Files.createSymbolicLink(files.resolve("7"), Path.of("socket:[" + inode + "]"));
    }

    @Test
    void whoListensOnAPortIsNamed() throws Exception {
        table("tcp", line("0100007F:075B", "0A", 1000, 11) + line("0100007F:075B", "01", 1000, 12));
        table("tcp6", line("00000000000000000000000000000000:2711", "0A", 101, 13));
        process("40", "/usr/bin/some-server\0--password\0secret\0", 11);
        process("41", "a client of it\0", 12);
        process("42", "java\0-cp\0x\0io.godwit.broker.Main\0--data\0/srv/one\0", 13);
        assertThat(new PortHolders(proc).of(Set.of(1883, 10_001)))
                .containsExactly(
                        "port 10001 is held by process 42: a broker on /srv/one",
                        "port 1883 is held by process 40: /usr/bin/some-server");
        assertThat(new PortHolders(proc).of(Set.of(1884))).isEmpty();
    }

    @Test
    void ofAnotherUsersProcessTheUserIsTold() throws Exception {
        table("tcp", line("00000000:075B", "0A", 101, 11));
        Files.createDirectories(proc.resolve("40")); // its files may not be listed
        assertThat(new PortHolders(proc).of(Set.of(1883)))
                .singleElement()
                .asString()
                .contains("port 1883 is held", "user with the id 101");
    }

    @Test
    void nothingIsToldWhereTheSystemTellsNothing() throws Exception {
        assertThat(new PortHolders(proc).of(Set.of(1883))).isEmpty();
        table("tcp", "   0: nonsense that is long enough 0A 0 0 0 0 0 0 0\n");
        assertThat(new PortHolders(proc).of(Set.of(1883))).isEmpty();
    }

    /** The other listeners of a broker whose start has failed are still open. */
    @Test
    void thisProcessIsNotTold() throws Exception {
        try (ServerSocket ours = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(new PortHolders().of(Set.of(ours.getLocalPort()))).isEmpty();
        }
    }

    @Test
    void onlyABusyPortIsLookedInto() {
        assertThat(PortHolders.isBusyPort(new IOException("cannot listen", new BindException("no"))))
                .isTrue();
        assertThat(PortHolders.isBusyPort(
                        new IOException("x", new IOException("bind(..) failed: Address already in use"))))
                .isTrue();
        assertThat(PortHolders.isBusyPort(new IOException("the disk is full", new IOException())))
                .isFalse();
    }

    @Test
    void allPortsOfTheConfigurationAreLookedAt() throws Exception {
        Path file = Files.writeString(proc.resolve("test.yml"), """
                mqttServerConfig:
                  tcpListener: [{port: 2001}, {enable: false, port: 2002}]
                  wsListener: {port: 2003}
                clusterConfig: {host: 127.0.0.1, port: 2004, rpcPort: 2006}
                apiServerConfig: {port: 2007}
                """);
        assertThat(PortHolders.portsOf(ConfigLoader.load(file, Map.of())))
                .containsExactlyInAnyOrder(2001, 2003, 2004, 2006, 2007);
    }
}
