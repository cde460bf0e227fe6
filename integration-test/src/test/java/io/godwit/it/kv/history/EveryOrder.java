package io.godwit.it.kv.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Says whether a handful of operations is linearizable by trying all of their orders: too slow for more, and too simple
 * to be wrong.
 */
final class EveryOrder {
    private EveryOrder() {}

    static boolean isLinearizable(List<Operation> operations) {
        List<Operation> left = new ArrayList<>(operations);
        left.removeIf(operation -> operation.reply().kind() == Reply.Kind.FAIL);
        return canGoOn(left, null);
    }

    private static boolean canGoOn(List<Operation> left, @Nullable String value) {
        if (left.stream().allMatch(operation -> operation.reply().kind() == Reply.Kind.UNKNOWN)) {
            return true; // none of them has to happen
        }
        for (Operation next : left) {
            if (left.stream().anyMatch(other -> end(other) < next.invokedNanos())) {
                continue; // that one is over before this one begins
            }
            List<Operation> rest = new ArrayList<>(left);
            rest.remove(next);
            if (next.reply().kind() == Reply.Kind.UNKNOWN && canGoOn(rest, value)) {
                return true; // it does not happen
            }
            if (fits(next, value) && canGoOn(rest, after(next, value))) {
                return true;
            }
        }
        return false;
    }

    private static long end(Operation operation) {
        return operation.reply().kind() == Reply.Kind.UNKNOWN ? Operation.NEVER : operation.returnedNanos();
    }

    private static boolean fits(Operation operation, @Nullable String value) {
        Request request = operation.request();
        return switch (operation.reply().kind()) {
            case VALUE, MISMATCH -> Objects.equals(operation.reply().value(), value);
            case OK -> request.kind() == Request.Kind.WRITE || Objects.equals(request.expected(), value);
            case UNKNOWN -> true;
            case FAIL -> false;
        };
    }

    private static @Nullable String after(Operation operation, @Nullable String value) {
        Request request = operation.request();
        return switch (operation.reply().kind()) {
            case OK -> request.value();
            case UNKNOWN ->
                request.kind() == Request.Kind.WRITE
                                || request.kind() == Request.Kind.CAS && Objects.equals(request.expected(), value)
                        ? request.value()
                        : value;
            case VALUE, MISMATCH, FAIL -> value;
        };
    }
}
