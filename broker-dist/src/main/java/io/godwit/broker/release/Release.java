package io.godwit.broker.release;

import picocli.CommandLine.IVersionProvider;

/** The version of the broker, for {@code --version} and the log. */
public final class Release implements IVersionProvider {

    /** For picocli. */
    public Release() {}

    /** The version of the jar that contains this class. */
    public static String version() {
        String version = Release.class.getPackage().getImplementationVersion();
        return version == null ? "(unpackaged)" : version;
    }

    @Override
    public String[] getVersion() {
        return new String[] {"Godwit " + version()};
    }
}
