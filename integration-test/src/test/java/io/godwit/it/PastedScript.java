package io.godwit.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.ClassArchive;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What a stranger pastes, step by step, in the directory of a copy of the distribution. It runs in a network namespace
 * of its own where that is possible, since pages name ports; else these must be free, and one script runs at a time.
 */
final class PastedScript {
    private static final Duration LONGEST = Duration.ofMinutes(6);
    /** The lock of the ports that pages name, for scripts without a network namespace. */
    private static final Object PORTS = new Object();

    private final Path directory;
    private final Path script;

    /** @param directory empty; what the steps say is kept there */
    PastedScript(Path directory) throws Exception {
        this.directory = directory;
        run(List.of("cp", "-a", BrokerProcess.distribution() + "/.", home().toString()));
        ClassArchive.letUse(home().resolve("bin/standalone.sh"));
        script = Files.writeString(directory.resolve("pasted.sh"), "cd '" + home() + "'\n");
    }

    Path home() {
        return directory.resolve("godwit");
    }

    /** Adds a step in a shell of its own; what it says is kept, and its failure ends all. */
    void step(String name, String pasted) throws IOException {
        Path block = Files.writeString(directory.resolve(name + ".sh"), "set -e\n" + pasted);
        Path output = directory.resolve(name + ".out");
        Files.writeString(
                script,
                "bash '" + block + "' >'" + output + "' 2>&1 </dev/null || { echo 'failed: " + name + "'; cat '"
                        + output + "'; exit 1; }\n",
                StandardOpenOption.APPEND);
    }

    /** What the step has printed. */
    String said(String step) throws IOException {
        return Files.readString(directory.resolve(step + ".out"));
    }

    /**
     * Runs the steps. The brokers that they leave are ended.
     *
     * @param port one that the pages name, to find out whether it is free
     * @param dataDirectories of these brokers, below the home
     */
    void run(int port, List<String> dataDirectories) throws Exception {
        if (runs(List.of("unshare", "-rn", "true"))) {
            runAndStop(
                    List.of("unshare", "-rn", "bash", "-c", "ip link set lo up && exec bash " + script),
                    dataDirectories);
            return;
        }
        synchronized (PORTS) {
            try (ServerSocket socket = new ServerSocket()) {
                socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)); // fails unless it is free
            }
            runAndStop(List.of("bash", script.toString()), dataDirectories);
        }
    }

    private void runAndStop(List<String> command, List<String> dataDirectories) throws Exception {
        try {
            run(command);
        } finally {
            for (String data : dataDirectories) {
                run(List.of(home().resolve("bin/standalone.sh").toString(), "stop", "--data", data));
            }
        }
    }

    /**
     * A configuration with a section as the page has it: the block's lines in the place of those with the same keys.
     *
     * @param before the file that is changed
     * @param only the one line that is taken over; empty for all
     * @return the changed one
     */
    Path edited(Path before, String name, String block, String only) throws IOException {
        List<String> lines = new ArrayList<>(Files.readAllLines(before));
        List<String> pasted = block.lines().toList();
        int at = lines.indexOf(pasted.get(0));
        assertThat(at).as("the line %s of conf/standalone.yml", pasted.get(0)).isNotNegative();
        int last = at;
        for (String line : pasted.subList(1, pasted.size())) {
            String key = line.substring(0, line.indexOf(':') + 1);
            if (!only.isEmpty() && !key.equals(only)) {
                continue;
            }
            int place = at + 1;
            while (isWithin(lines, place, at) && !lines.get(place).startsWith(key)) {
                place++;
            }
            if (isWithin(lines, place, at)) {
                lines.set(place, line);
                last = place;
            } else {
                lines.add(++last, line);
            }
        }
        return Files.write(directory.resolve(name), lines);
    }

    /** Whether the line there belongs to the section that begins at line {@code at}. */
    private static boolean isWithin(List<String> lines, int place, int at) {
        return place < lines.size()
                && (lines.get(place).isBlank() || indentation(lines.get(place)) > indentation(lines.get(at)));
    }

    private static int indentation(String line) {
        return line.length() - line.stripLeading().length();
    }

    private boolean runs(List<String> command) throws Exception {
        return start(command).waitFor() == 0;
    }

    private void run(List<String> command) throws Exception {
        Process process = start(command);
        assertThat(process.waitFor(LONGEST.toSeconds(), TimeUnit.SECONDS))
                .as("%s ends", command)
                .isTrue();
        assertThat(process.exitValue())
                .as(Files.readString(directory.resolve("all.out")))
                .isZero();
    }

    private Process start(List<String> command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("all.out").toFile());
        if (Files.isDirectory(home())) {
            builder.directory(home().toFile());
        }
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("JVM_HEAP_OPTS", "-Xmx512m");
        builder.environment().put("JVM_OPTS", BrokerProcess.SHORT_LIVED);
        builder.environment().putAll(ClassArchive.environment());
        return builder.start();
    }
}
