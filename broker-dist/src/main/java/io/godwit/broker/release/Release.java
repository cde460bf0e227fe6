package io.godwit.broker.release;

import picocli.CommandLine.IVersionProvider;

/** Names the release, for {@code --version} and the log. */
public final class Release implements IVersionProvider {

    /** For picocli. */
    public Release() {}

    /** Of the jar that this runs from. */
    public static String version() {
        String version = Release.class.getPackage().getImplementationVersion();
        return version == null ? "(unpackaged)" : version;
    }

    @Override
    public String[] getVersion() {
        return new String[] {"Godwit " + version()};
    }
}
