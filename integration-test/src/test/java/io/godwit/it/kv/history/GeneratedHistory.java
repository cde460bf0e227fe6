package io.godwit.it.kv.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Histories of clients of true registers: each operation takes effect at a moment of its own between request and reply,
 * or, in doubt, later or never.
 */
final class GeneratedHistory {
    private record Effect(long nanos, int operation) {}

    private final Random random;

    GeneratedHistory(long seed) {
        this.random = new Random(seed);
    }

    List<Operation> operations(int count, int keys, int clients) {
        long[] free = new long[clients];
        List<Operation> open = new ArrayList<>();
        List<Effect> effects = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int client = random.nextInt(clients);
            long invoked = free[client] + random.nextInt(200);
            long returned = invoked + 1 + random.nextInt(random.nextInt(50) == 0 ? 3_000 : 200);
            free[client] = returned + 1;
            boolean inDoubt = random.nextInt(40) == 0;
            long spread = inDoubt ? 20 * (returned - invoked) : returned - invoked;
            effects.add(new Effect(invoked + (long) (random.nextDouble() * spread), i));
            open.add(new Operation(
                    i,
                    "c" + client,
                    Request.read("k" + random.nextInt(keys)),
                    invoked,
                    returned,
                    inDoubt ? Reply.unknown("generated") : Reply.ok()));
        }
        effects.sort((a, b) -> Long.compare(a.nanos(), b.nanos()));
        Map<String, String> registers = new HashMap<>();
        effects.forEach(effect -> takeEffect(open, effect.operation(), registers));
        open.sort((a, b) -> Long.compare(a.invokedNanos(), b.invokedNanos()));
        List<Operation> numbered = new ArrayList<>();
        open.forEach(each -> numbered.add(new Operation(
                numbered.size(),
                each.client(),
                each.request(),
                each.invokedNanos(),
                each.returnedNanos(),
                each.reply())));
        return numbered;
    }

    private void takeEffect(List<Operation> open, int number, Map<String, String> registers) {
        Operation operation = open.get(number);
        String key = operation.request().key();
        @Nullable String now = registers.get(key);
        Request request = request(key, now, "v" + number);
        boolean inDoubt = operation.reply().kind() == Reply.Kind.UNKNOWN;
        boolean isLost = inDoubt && random.nextBoolean();
        Reply reply = switch (request.kind()) {
            case READ -> Reply.value(now);
            case WRITE -> Reply.ok();
            case CAS -> Objects.equals(request.expected(), now) ? Reply.ok() : Reply.mismatch(now);
        };
        if (reply.kind() == Reply.Kind.OK && !isLost) {
            registers.put(key, Objects.requireNonNull(request.value()));
        }
        open.set(
                number,
                new Operation(
                        number,
                        operation.client(),
                        request,
                        operation.invokedNanos(),
                        operation.returnedNanos(),
                        inDoubt ? operation.reply() : reply));
    }

    private Request request(String key, @Nullable String now, String value) {
        return switch (random.nextInt(10)) {
            case 0, 1, 2, 3 -> Request.read(key);
            case 4, 5, 6 -> Request.write(key, value);
            case 7 -> Request.cas(key, "v" + random.nextInt(1_000), value);
            default -> Request.cas(key, now, value);
        };
    }

    /** Lets one read answer what the register held before a write that was over when the read began. Returns it. */
    static Operation makeStale(List<Operation> operations, Random random) {
        int from = operations.size() / 4 + random.nextInt(operations.size() / 2);
        for (int i = from; i < operations.size(); i++) {
            Operation read = operations.get(i);
            String old = read.reply().kind() == Reply.Kind.VALUE ? overwritten(operations, read) : null;
            if (old != null) {
                Operation stale = new Operation(
                        i, read.client(), read.request(), read.invokedNanos(), read.returnedNanos(), Reply.value(old));
                operations.set(i, stale);
                return stale;
            }
        }
        throw new IllegalStateException("no read that could be made stale");
    }

    /** A value that was seen to be there, and then another one to be there, before the read. */
    private static @Nullable String overwritten(List<Operation> operations, Operation read) {
        List<Operation> seen = operations.subList(0, read.number()).stream()
                .filter(each -> each.request().key().equals(read.request().key()))
                .filter(each -> each.reply().kind() == Reply.Kind.VALUE
                        && each.reply().value() != null
                        && each.returnedNanos() < read.invokedNanos())
                .toList();
        for (int last = seen.size() - 1; last > 0; last--) {
            for (int first = last - 1; first >= Math.max(0, last - 20); first--) {
                Operation before = seen.get(first);
                Operation after = seen.get(last);
                if (before.returnedNanos() < after.invokedNanos()
                        && !Objects.equals(before.reply().value(), after.reply().value())) {
                    return before.reply().value();
                }
            }
        }
        return null;
    }
}
