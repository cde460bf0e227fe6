package io.godwit.it.broker;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * A plugin that does what it must not when a client logs in, by the name of the user. It calls a method that
 * {@code plugin-api} does not have.
 */
public final class BadPlugin {
    private static final String AUTH = "io.godwit.plugin.auth.AuthProviderFactory";

    private static final String SOURCE = """
            import io.godwit.plugin.auth.*;
            import io.godwit.plugin.client.*;
            import io.godwit.plugin.context.*;
            import io.godwit.plugin.message.*;
            import java.util.*;
            import java.util.concurrent.*;
            public class Bad implements AuthProviderFactory, Plugin {
                private static final List<byte[]> HOARD = new ArrayList<>();
                private PluginContext context;
                static class Unspeakable extends RuntimeException {
                    @Override public String toString() { throw this; }
                }
                @SuppressWarnings("unchecked")
                static <E extends Exception> void sneak(Exception thrown) throws E { throw (E) thrown; }
                static void start(Runnable task) {
                    Thread thread = new Thread(task);
                    thread.setDaemon(true);
                    thread.start();
                }
                static void stay() {
                    try { new CountDownLatch(1).await(); } catch (InterruptedException e) { }
                }
                static void runtime(String method) {
                    try {
                        Runtime.class.getMethod(method, int.class).invoke(Runtime.getRuntime(), 0);
                    } catch (ReflectiveOperationException e) { throw new IllegalStateException(e); }
                }
                private CompletableFuture<?> tell(String what) {
                    return context.broker().publish(TenantId.DEFAULT, new Message(
                        "told", what.getBytes(), Qos.AT_LEAST_ONCE, false, 0, MessageProperties.NONE));
                }
                @Override public String name() { return "bad"; }
                @Override public void create(PluginContext given) { context = given; }
                @Override public boolean isNonBlocking() { return true; }
                @Override public AuthProvider create() {
                    return new AuthProvider() {
                        @Override public CompletableFuture<ConnectResult> connect(ConnectRequest request) {
                            ConnectResult yes = ConnectResult.Accepted.as(request.client());
                            CompletableFuture<ConnectResult> answer = new CompletableFuture<>();
                            switch (String.valueOf(request.client().userName())) {
                                case "undeclared": Bad.<RuntimeException>sneak(new java.io.IOException("no disk"));
                                case "unspeakable": throw new Unspeakable();
                                case "old": request.theUser(); break;
                                case "late":
                                    CompletableFuture.delayedExecutor(3, TimeUnit.SECONDS)
                                        .execute(() -> answer.complete(yes));
                                    return answer;
                                case "twice":
                                    start(() -> { // the broker waits for the first answer before there is a second
                                        while (answer.getNumberOfDependents() == 0) { Thread.onSpinWait(); }
                                        answer.complete(yes);
                                        answer.complete(null);
                                        answer.obtrudeValue(null);
                                    });
                                    return answer;
                                case "leaks":
                                    for (int i = 0; i < 300; i++) { start(Bad::stay); }
                                    break;
                                case "fills":
                                    for (int i = 0; i < 5_000; i++) {
                                        try { context.executor().execute(Bad::stay); }
                                        catch (RejectedExecutionException e) {
                                            return CompletableFuture.completedFuture(yes);
                                        }
                                    }
                                    return null;
                                case "calls":
                                    tell("within").thenRun(() -> tell("answer"));
                                    start(() -> tell("thread"));
                                    break;
                                case "exit": runtime("exit"); break;
                                case "halt": runtime("halt"); break;
                                case "memory": while (true) { HOARD.add(new byte[1 << 20]); }
                                default: break;
                            }
                            return CompletableFuture.completedFuture(yes);
                        }
                        @Override public CompletableFuture<AuthDecision> publish(PublishRequest request) {
                            return CompletableFuture.completedFuture(AuthDecision.ALLOWED);
                        }
                        @Override public CompletableFuture<AuthDecision> subscribe(SubscribeRequest request) {
                            return CompletableFuture.completedFuture(AuthDecision.ALLOWED);
                        }
                    };
                }
            }
            """;

    /** As if it had had a method that is gone. */
    private static final Map<String, String> OLDER = Map.of("io.godwit.plugin.auth.ConnectRequest", """
            package io.godwit.plugin.auth;
            public class ConnectRequest {
                public io.godwit.plugin.client.ClientInfo client() { return null; }
                public String theUser() { return ""; }
            }
            """);

    private BadPlugin() {}

    /** Adds the jar of the auth provider "bad". */
    public static void addTo(PluginInstallation installation) throws IOException {
        installation.jarAgainst(OLDER, "bad", "Bad", SOURCE, Map.of(AUTH, List.of("Bad")));
    }
}
