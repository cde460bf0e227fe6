package io.godwit.plugin.intercept;

/**
 * Makes a {@link PublishInterceptor}. A plugin jar lists its factory in
 * {@code META-INF/services/io.godwit.plugin.intercept.PublishInterceptorFactory}; the configuration names it under
 * {@code pluginConfig.publishInterceptors}. Of several each is given what the one before has made of the message.
 *
 * <p>One that implements {@link io.godwit.plugin.context.Plugin} too is given a context and a life cycle.
 */
public interface PublishInterceptorFactory {
    /** What the configuration calls it. */
    String name();

    /**
     * Called once, after {@link io.godwit.plugin.context.Plugin#start} and before the broker takes connections. Blocks
     * at most 60 seconds.
     *
     * @return not null
     * @throws Exception ends the start of the broker
     */
    PublishInterceptor create() throws Exception;
}
