package io.godwit.it.real.rolling;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.godwit.testing.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** A program that runs beside the test, reads lines and prints lines, errors among them. Thread-safe. */
final class Program implements AutoCloseable {
    private static final int LAST_LINES = 60;

    private final List<String> command;
    private final Process process;
    private final OutputStream in;
    private final Deque<String> lastLines = new ArrayDeque<>();

    /** @param line is given each line that it prints, by one thread */
    Program(List<String> command, Map<String, String> environment, Consumer<String> line) throws IOException {
        this.command = List.copyOf(command);
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        process = builder.start();
        in = process.getOutputStream();
        Thread reader = new Thread(() -> read(line), command.get(0));
        reader.setDaemon(true);
        reader.start();
    }

    private void read(Consumer<String> consumer) {
        try (BufferedReader lines = process.inputReader(UTF_8)) {
            String line;
            while ((line = lines.readLine()) != null) {
                synchronized (lastLines) {
                    lastLines.add(line);
                    if (lastLines.size() > LAST_LINES) {
                        lastLines.remove();
                    }
                }
                consumer.accept(line);
            }
        } catch (IOException e) {
            // the program was ended
        }
    }

    void write(String line) throws IOException {
        in.write((line + '\n').getBytes(UTF_8));
        in.flush();
    }

    /** Waits until something has come of it; fails when the program ends before. */
    void await(String what, Predicate<Program> hasCome) {
        Await looks = Await.atMost(Duration.ofSeconds(Pair.PATIENCE_SECONDS));
        while (!hasCome.test(this)) {
            if (!process.isAlive()) {
                throw new AssertionError(command + " ended with " + process.exitValue() + ": " + said());
            }
            looks.again(() -> what + " of " + command + ": " + said());
        }
    }

    /** The last lines. */
    String said() {
        synchronized (lastLines) {
            return String.join("\n", lastLines);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
