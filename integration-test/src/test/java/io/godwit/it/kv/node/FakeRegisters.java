package io.godwit.it.kv.node;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.godwit.it.kv.history.Reply;
import io.godwit.it.kv.history.Request;
import io.godwit.it.kv.node.NodeOptions.Fault;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Registers in memory and a file, one request at a time: a store that is right and slow, or one with a known fault, to
 * see whether it is found. The file outlasts a kill, though no loss of power.
 */
final class FakeRegisters implements Registers {
    /** One request in so many is treated wrongly. */
    private static final int RARITY = 60;

    private static final long LAZY_NANOS = 500_000_000;

    private final Fault fault;
    private final Path file;
    private final Random random = new Random();
    private final Map<String, String> now = new HashMap<>();
    private final Map<String, String> before = new HashMap<>();
    private final List<Request> repeats = new ArrayList<>();
    private final StringBuilder unwritten = new StringBuilder();
    private long writtenNanos = System.nanoTime();

    FakeRegisters(Fault fault, Path directory) throws IOException {
        this.fault = fault;
        Files.createDirectories(directory);
        this.file = directory.resolve("registers");
        if (Files.exists(file)) {
            for (String line : Files.readAllLines(file)) {
                Request write = Request.parse(line);
                put(write.key(), Objects.requireNonNull(write.value()));
            }
        }
    }

    @Override
    public synchronized Reply answer(Request request, long millis) {
        String key = request.key();
        return switch (request.kind()) {
            case READ ->
                Reply.value(hits(Fault.STALE_READ) && before.containsKey(key) ? before.get(key) : now.get(key));
            case WRITE -> write(request);
            case CAS -> {
                @Nullable String found = hits(Fault.OLD_CAS) ? before.get(key) : now.get(key);
                yield Objects.equals(found, request.expected()) ? write(request) : Reply.mismatch(found);
            }
        };
    }

    private Reply write(Request request) {
        if (hits(Fault.LOST_WRITE)) {
            return Reply.ok();
        }
        store(request);
        if (repeats.size() > 5) {
            repeats.forEach(this::store);
            repeats.clear();
        }
        if (hits(Fault.DOUBLE_APPLY) || !repeats.isEmpty()) {
            repeats.add(request);
        }
        return Reply.ok();
    }

    private void store(Request request) {
        String value = Objects.requireNonNull(request.value());
        unwritten.append(Request.write(request.key(), value)).append('\n');
        long nanos = System.nanoTime();
        if (fault != Fault.FORGETS_AT_KILL || nanos - writtenNanos > LAZY_NANOS) {
            writtenNanos = nanos;
            try {
                Files.write(
                        file,
                        unwritten.toString().getBytes(UTF_8),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.APPEND);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            unwritten.setLength(0);
        }
        put(request.key(), value);
    }

    private void put(String key, String value) {
        String old = now.put(key, value);
        if (old != null) {
            before.put(key, old);
        }
    }

    private boolean hits(Fault one) {
        return fault == one && random.nextInt(RARITY) == 0;
    }

    @Override
    public String operate(String[] words, long millis) {
        return switch (words[0]) {
            case "health" -> "done SERVING";
            case "self" -> "done fake";
            default -> "not UNSUPPORTED " + words[0];
        };
    }

    @Override
    public void close() {}
}
