package io.godwit.mqtt.intercept;

import io.godwit.common.failure.Failures;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.intercept.Interception;
import io.godwit.plugin.message.Message;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A chain of interceptors: each gets the message as the one before left it. Immutable. */
public final class InterceptorChain {
    private static final int MAX_DETAIL = 200;

    private final List<InterceptorStep> steps;

    private InterceptorChain(List<InterceptorStep> steps) {
        this.steps = List.copyOf(steps);
    }

    /** Null without steps, so that it costs nothing. */
    public static @Nullable InterceptorChain of(List<InterceptorStep> steps) {
        return steps.isEmpty() ? null : new InterceptorChain(steps);
    }

    /**
     * Any thread.
     *
     * @return never fails; complete at once when all steps are, else on the thread of one of them
     */
    public CompletableFuture<Intercepted> run(ClientInfo client, Message message, ChangeRules rules) {
        return run(0, client, message, rules);
    }

    private CompletableFuture<Intercepted> run(int from, ClientInfo client, Message message, ChangeRules rules) {
        Message now = message;
        for (int i = from; i < steps.size(); i++) {
            InterceptorStep step = steps.get(i);
            Message given = now;
            CompletableFuture<Interception> asked = step.ask(client, given);
            if (!asked.isDone()) {
                int next = i + 1;
                return asked.handle((answer, failure) -> outcome(step, given, answer, failure, rules))
                        .thenCompose(outcome -> outcome instanceof Intercepted.Passed passed
                                ? run(next, client, passed.message(), rules)
                                : CompletableFuture.completedFuture(outcome));
            }
            Intercepted outcome = asked.handle((answer, failure) -> outcome(step, given, answer, failure, rules))
                    .join();
            if (!(outcome instanceof Intercepted.Passed passed)) {
                return CompletableFuture.completedFuture(outcome);
            }
            now = passed.message();
        }
        return CompletableFuture.completedFuture(new Intercepted.Passed(now));
    }

    private static Intercepted outcome(
            InterceptorStep step,
            Message before,
            @Nullable Interception answer,
            @Nullable Throwable failure,
            ChangeRules rules) {
        if (answer == null || failure != null) {
            Throwable cause = failure == null ? null : Failures.cause(failure);
            return cause == null
                    ? new Intercepted.Failed(step.plugin(), "no answer", true)
                    : new Intercepted.Failed(step.plugin(), cut(cause.getMessage()), step.wasAsked(cause));
        }
        if (answer instanceof Interception.Changed changed) {
            return changed(step, before, changed.message(), rules);
        }
        return answer instanceof Interception.Dropped dropped
                ? new Intercepted.Dropped(step.plugin(), cut(dropped.detail()))
                : new Intercepted.Passed(before);
    }

    private static Intercepted changed(InterceptorStep step, Message before, Message after, ChangeRules rules) {
        String wrong;
        try {
            wrong = rules.wrongWith(before, after);
        } catch (RuntimeException e) { // an unexpected message broke a rule: the caller must still get an answer
            wrong = "checking it failed: " + cut(e.toString());
        }
        if (wrong != null) {
            step.invalid(wrong);
            return new Intercepted.Failed(
                    step.plugin(), "plugin " + step.plugin() + " changed a message: " + wrong, true);
        }
        return new Intercepted.Passed(
                after.receivedAtMillis() == before.receivedAtMillis()
                        ? after
                        : new Message(
                                after.topic(),
                                after.payload(),
                                after.qos(),
                                after.retain(),
                                before.receivedAtMillis(),
                                after.properties()));
    }

    private static String cut(@Nullable String text) {
        String shown = String.valueOf(text);
        return shown.length() > MAX_DETAIL ? shown.substring(0, MAX_DETAIL) : shown;
    }
}
