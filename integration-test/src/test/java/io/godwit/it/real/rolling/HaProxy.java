package io.godwit.it.real.rolling;

import io.godwit.it.broker.Ports;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** HAProxy before the nodes of a cluster. It tells them by the PROXY protocol, version 2, who connects. */
final class HaProxy implements AutoCloseable {
    private final InetSocketAddress address = Ports.free();
    private final Program program;

    /**
     * @param executable of HAProxy
     * @param nodes their listeners for connections with a PROXY header
     */
    HaProxy(String executable, Path directory, List<InetSocketAddress> nodes) throws IOException {
        StringBuilder config = new StringBuilder("""
                defaults
                  mode tcp
                  timeout connect 2s
                  timeout client 1h
                  timeout server 1h
                  retries 3
                  option redispatch 1
                listen mqtt
                  bind 127.0.0.1:%d
                  balance leastconn
                """.formatted(address.getPort()));
        for (int i = 0; i < nodes.size(); i++) {
            config.append("  server n%d 127.0.0.1:%d send-proxy-v2 check inter 500ms fall 2 rise 1%n"
                    .formatted(i, nodes.get(i).getPort()));
        }
        Path file = directory.resolve("haproxy.cfg");
        Files.writeString(file, config);
        program = new Program(List.of(executable, "-db", "-f", file.toString()), Map.of(), line -> {});
        try {
            program.await("a listener", running -> accepts());
        } catch (AssertionError e) {
            close();
            throw e;
        }
    }

    /** The program; null when it is not installed. Debian has it where only root's PATH leads. */
    static @Nullable String installed() {
        for (String directory : new String[] {"/usr/sbin", "/usr/local/sbin", "/usr/bin", "/usr/local/bin"}) {
            Path executable = Path.of(directory, "haproxy");
            if (Files.isExecutable(executable)) {
                return executable.toString();
            }
        }
        return null;
    }

    InetSocketAddress address() {
        return address;
    }

    private boolean accepts() {
        try (Socket probe = new Socket()) {
            probe.connect(address, 500);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public void close() {
        program.close();
    }
}
