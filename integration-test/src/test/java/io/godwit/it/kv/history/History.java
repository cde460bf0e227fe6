package io.godwit.it.kv.history;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The requests and replies of one run, written to a file as they happen. Thread-safe: all clients add to it.
 *
 * <pre>
 * nanos  ?  number  client  read KEY | write KEY VALUE | cas KEY EXPECTED VALUE
 * nanos  !  number  client  ok | value VALUE | mismatch VALUE | fail WHY | unknown WHY
 * nanos  #  what was done to the nodes
 * </pre>
 *
 * Tabs between the fields, "-" for an empty register. Keys and values hold neither blanks nor tabs.
 */
public final class History implements AutoCloseable {
    private final long begin = System.nanoTime();
    private final Path file;
    private final BufferedWriter out;
    private final List<Operation> operations = new ArrayList<>();
    private final Map<Reply.Kind, Long> counts = new EnumMap<>(Reply.Kind.class);

    public History(Path file) throws IOException {
        this.file = file;
        Path directory = file.toAbsolutePath().getParent();
        if (directory != null) {
            Files.createDirectories(directory);
        }
        this.out = Files.newBufferedWriter(file, StandardCharsets.UTF_8);
    }

    public Path file() {
        return file;
    }

    /** Call before the request leaves. Returns its number. */
    public synchronized int invoked(String client, Request request) {
        long now = System.nanoTime() - begin;
        int number = operations.size();
        operations.add(new Operation(number, client, request, now, Operation.NEVER, Reply.unknown("open")));
        write(now + "\t?\t" + number + '\t' + client + '\t' + request);
        return number;
    }

    /** Call after the reply has come. */
    public synchronized void returned(int number, Reply reply) {
        long now = System.nanoTime() - begin;
        Operation open = operations.get(number);
        operations.set(number, new Operation(number, open.client(), open.request(), open.invokedNanos(), now, reply));
        counts.merge(reply.kind(), 1L, Long::sum);
        write(now + "\t!\t" + number + '\t' + open.client() + '\t' + reply);
    }

    /** Takes down what was done to the nodes, for the reader. */
    public synchronized void note(String text) {
        write(System.nanoTime() - begin + "\t#\t" + text);
    }

    public synchronized List<Operation> operations() {
        return List.copyOf(operations);
    }

    public synchronized long count(Reply.Kind kind) {
        return counts.getOrDefault(kind, 0L);
    }

    public synchronized String counts() {
        return counts.toString();
    }

    private void write(String line) {
        try {
            out.write(line);
            out.newLine();
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException("history " + file, e);
        }
    }

    @Override
    public synchronized void close() throws IOException {
        out.close();
    }

    /** Reads a file back, also one that ends in the midst of a run. */
    public static List<Operation> load(Path file) throws IOException {
        List<Operation> operations = new ArrayList<>();
        try (BufferedReader in = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            String line;
            while ((line = in.readLine()) != null) {
                String[] words = line.split("\t", 5);
                long nanos = Long.parseLong(words[0]);
                switch (words[1]) {
                    case "?" ->
                        operations.add(new Operation(
                                operations.size(),
                                words[3],
                                Request.parse(words[4]),
                                nanos,
                                Operation.NEVER,
                                Reply.unknown("open")));
                    case "!" -> {
                        int number = Integer.parseInt(words[2]);
                        Operation open = operations.get(number);
                        operations.set(
                                number,
                                new Operation(
                                        number,
                                        open.client(),
                                        open.request(),
                                        open.invokedNanos(),
                                        nanos,
                                        Reply.parse(words[4])));
                    }
                    default -> {} // a note
                }
            }
        }
        return operations;
    }
}
