package io.godwit.broker.effective;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Collects the mistakes that several checks find, so that all are reported together. Used by one thread. */
public final class Mistakes {
    /** A check that reports by its exception, with one mistake per line. */
    public interface Check {
        void run() throws IOException;
    }

    private final List<String> lines = new ArrayList<>();
    private final List<IOException> failures = new ArrayList<>();

    /** Runs a check and notes what it reports. */
    public void check(Check check) {
        try {
            check.run();
        } catch (IOException e) {
            add(e);
        }
    }

    public void add(IOException failure) {
        failures.add(failure);
        String.valueOf(failure.getMessage()).lines().forEach(lines::add);
    }

    public void add(String mistake) {
        lines.add(mistake);
    }

    public boolean isEmpty() {
        return lines.isEmpty();
    }

    /** One line per mistake, in the order of the checks. */
    public List<String> lines() {
        return List.copyOf(lines);
    }

    /** @throws IOException naming all mistakes, if there are any; what the checks threw is suppressed in it */
    public void refuse() throws IOException {
        if (!lines.isEmpty()) {
            IOException all = new IOException(String.join("\n", lines));
            failures.forEach(all::addSuppressed);
            throw all;
        }
    }
}
