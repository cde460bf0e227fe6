package io.godwit.perf;

import io.godwit.perf.load.client.Endpoint;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Steps before a run: a shell command, and waiting for ports. */
final class Shell {
    static final Duration COMMAND_TIME = Duration.ofMinutes(10);
    static final Duration PORT_TIME = Duration.ofMinutes(2);
    private static final int CONNECT_MILLIS = 1_000;

    private Shell() {}

    /**
     * Whether the command exits with 0 in time; one that does not end in time is terminated. Its outputs go to those of
     * this process.
     */
    static boolean run(String command, Duration limit, PrintStream out) throws InterruptedException {
        out.println("before: " + command);
        try {
            Process process = new ProcessBuilder("sh", "-c", command)
                    .redirectInput(ProcessBuilder.Redirect.from(new java.io.File("/dev/null")))
                    .redirectOutput(ProcessBuilder.Redirect.INHERIT)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroy();
                return false;
            }
            return process.exitValue() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    /** Whether all endpoints accept connections in time. */
    static boolean awaitPorts(List<Endpoint> endpoints, Duration limit) throws InterruptedException {
        long endNanos = System.nanoTime() + limit.toNanos();
        for (Endpoint endpoint : endpoints) {
            if (!awaitPort(endpoint, endNanos)) {
                return false;
            }
        }
        return true;
    }

    private static boolean awaitPort(Endpoint endpoint, long endNanos) throws InterruptedException {
        do {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(endpoint.host(), endpoint.port()), CONNECT_MILLIS);
                return true;
            } catch (IOException e) {
                TimeUnit.MILLISECONDS.sleep(100);
            }
        } while (System.nanoTime() < endNanos);
        return false;
    }
}
