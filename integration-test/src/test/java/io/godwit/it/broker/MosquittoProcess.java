package io.godwit.it.broker;

import io.godwit.testing.Await;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Mosquitto, where it is installed: a real broker that is known to forget what it acknowledged when it is killed. */
public final class MosquittoProcess implements Broker {
    private final Path home;
    private final InetSocketAddress address;
    private @Nullable Process process;

    public MosquittoProcess(Path home) throws IOException {
        this.home = home;
        this.address = Ports.free();
    }

    /** The program, or null. */
    public static @Nullable Path installed() {
        for (String directory : new String[] {"/usr/sbin", "/usr/local/sbin", "/usr/bin", "/usr/local/bin"}) {
            Path program = Path.of(directory, "mosquitto");
            if (Files.isExecutable(program)) {
                return program;
            }
        }
        return null;
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public void launch() throws IOException {
        Path config = home.resolve("mosquitto.conf");
        Files.writeString(config, """
                listener %d 127.0.0.1
                allow_anonymous true
                user root
                persistence true
                persistence_location %s/
                autosave_interval 1
                max_queued_messages 0
                max_inflight_messages 1000
                """.formatted(address.getPort(), home));
        Path program = installed();
        if (program == null) {
            throw new IOException("mosquitto is not installed");
        }
        process = new ProcessBuilder(program.toString(), "-c", config.toString())
                .redirectErrorStream(true)
                .redirectOutput(home.resolve("mosquitto.out").toFile())
                .start();
    }

    @Override
    public void awaitReady(Duration patience) throws IOException {
        Await looks = Await.atMost(patience);
        while (!Ports.accepts(address)) {
            if (!looks.again()) {
                throw new IOException("mosquitto does not listen: " + Files.readString(home.resolve("mosquitto.out")));
            }
        }
    }

    @Override
    public void kill() {
        Process running = process;
        if (running != null) {
            running.destroyForcibly();
            running.onExit().join();
        }
    }

    @Override
    public void close() {
        kill();
    }
}
