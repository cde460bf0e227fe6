package io.godwit.kv.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** The calls of the users of a {@link RangeSimulation}, and their answers, which {@link SimHistory} checks. */
final class SimCalls {
    private static final long CALL_MILLIS = 4_000;
    private static final int MAX_OPEN = 24;

    private final RangeSimulation world;
    private final List<SimUser> users;
    private final SimHistory history;
    private final SimTrace trace;
    private final EnumMap<Cause, Integer> failures = new EnumMap<>(Cause.class);
    private String lastWritten = RangeSimulation.LETTERS.charAt(0) + "r";
    private int open;

    /** @param users a view of all users */
    SimCalls(RangeSimulation world, List<SimUser> users, SimHistory history, SimTrace trace) {
        this.world = world;
        this.users = users;
        this.history = history;
        this.trace = trace;
    }

    /** The number of calls that are not answered. */
    int open() {
        return open;
    }

    /** The number of calls that have failed, by cause. */
    Map<Cause, Integer> failures() {
        return failures;
    }

    /** A user asks for a key; or none does, because too many calls are open. */
    void ask() {
        if (open >= MAX_OPEN) {
            return;
        }
        SimUser user = users.get(world.random().nextInt(users.size()));
        boolean isRead = world.random().nextInt(4) == 0;
        String key = isRead && world.random().nextBoolean()
                ? lastWritten // a replica that is behind is most likely behind in this key
                : world.randomLetter() + (isRead ? users.get(world.random().nextInt(users.size())) : user).name();
        if (!user.mayAsk(key) && world.random().nextInt(20) > 0) {
            return; // usually only where somebody can answer
        }
        if (isRead) {
            SimHistory.Call call = history.read(key);
            await(call, user.query(key.getBytes(UTF_8), deadline()));
        } else {
            append(user, key);
        }
    }

    /** Appends the next number to a key, which must belong to the user alone. */
    CompletableFuture<byte[]> append(SimUser user, String key) {
        long next = world.next();
        SimHistory.Call call = history.append(key, next);
        return await(call, user.mutate(key.getBytes(UTF_8), (key + "=" + next + ",").getBytes(UTF_8), deadline()));
    }

    /** The deadline of a call that begins now. */
    long deadline() {
        return world.nanoTime() + CALL_MILLIS * 1_000_000;
    }

    private CompletableFuture<byte[]> await(SimHistory.Call call, CompletableFuture<byte[]> answer) {
        open++;
        return answer.whenComplete((value, failure) -> {
            open--;
            if (value != null) {
                String told = new String(value, UTF_8);
                world.count(call.isRead() ? "reads" : "writes");
                trace.add(call + " -> " + told);
                history.answered(call, told);
                lastWritten = call.isRead() ? lastWritten : call.key();
            } else if (failure instanceof RangeException why) {
                failures.merge(why.reason(), 1, Integer::sum);
                trace.add(call + " -> " + why.reason());
                if (why.reason() != Cause.TIMEOUT && why.reason() != Cause.STORE_FAILED) {
                    history.refused(call);
                }
            } else {
                world.violate(call + " failed with " + failure);
            }
        });
    }
}
