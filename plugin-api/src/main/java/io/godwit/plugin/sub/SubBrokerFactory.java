package io.godwit.plugin.sub;

/**
 * Makes a {@link SubBroker}. Found by {@link java.util.ServiceLoader} in the jars under {@code plugins/};
 * {@code subBrokerConfig.plugins} names it by {@link #name}, or by its class. Has a public constructor without
 * parameters.
 */
public interface SubBrokerFactory {
    /** The name in the configuration; unique. Up to 64 letters, digits, '-' and '_'. */
    String name();

    /** Makes the SubBroker when a node starts. May block; an exception ends the start. */
    SubBroker create() throws Exception;
}
