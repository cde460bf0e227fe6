package io.godwit.it.crash;

import io.godwit.it.broker.BrokerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** Cuts ranges of the packaged broker as an operator does, by {@code bin/godwit-admin}. */
final class AdminSplitter implements Splitter {
    private static final int PATIENCE_SECONDS = 60;
    /** What the program ends with when a range cannot be cut, or has just changed. */
    private static final int REFUSED = 4;

    private static final int STALE = 5;

    private record Answer(int code, String text) {}

    private final BrokerProcess broker;
    private final Random random;

    AdminSplitter(BrokerProcess broker, Random random) {
        this.broker = broker;
        this.random = random;
    }

    /** Whether the distribution has what this uses. */
    static boolean isThere() {
        return Files.isExecutable(program());
    }

    private static Path program() {
        return BrokerProcess.distribution().resolve("bin/godwit-admin");
    }

    /** Tries one range after the other, until one can be cut. */
    @Override
    public boolean split() throws IOException {
        List<String> ranges = new ArrayList<>();
        for (String line : admin("ranges", "inbox").text().split("\n", -1)) {
            String number = line.strip().split(" ", -1)[0];
            if (number.matches("\\d+")) {
                ranges.add(number);
            }
        }
        Collections.shuffle(ranges, random);
        for (String range : ranges) {
            Answer answer = admin("split", "inbox", range);
            if (answer.code() == 0) {
                return true;
            }
            if (answer.code() != REFUSED && answer.code() != STALE) {
                throw new IOException("split ended with " + answer.code() + ": " + answer.text());
            }
        }
        return false;
    }

    private Answer admin(String... words) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(program().toString());
        command.addAll(List.of(words));
        command.addAll(List.of("--data", broker.data().toString()));
        Path output = Files.createTempFile("admin", ".out");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IOException("does not end: " + command);
            }
            return new Answer(process.exitValue(), Files.readString(output));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        } finally {
            Files.deleteIfExists(output);
        }
    }
}
