package io.godwit.broker.effective;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Warns of secrets that every user of this machine may read, and of tokens that others may replace. */
public final class OtherReaders {
    private static final Logger LOG = LoggerFactory.getLogger(OtherReaders.class);
    private static final Set<PosixFilePermission> IN_A_DIRECTORY =
            Set.of(PosixFilePermission.OTHERS_READ, PosixFilePermission.OTHERS_EXECUTE);
    private static final Set<PosixFilePermission> OF_OTHERS =
            Set.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);
    /** Of a directory where users may replace their own files only, such as /tmp. */
    private static final int STICKY = 0b001_000_000_000;

    private OtherReaders() {}

    /** One warning per readable private key of the configuration. */
    static List<String> ofPrivateKeys(BrokerConfig config) {
        Stream<String> listeners = config.listeners().stream()
                .filter(section -> section.isEnabled() && section.kind().hasTls())
                .map(section -> section.ssl().keyFile());
        List<String> warnings = new ArrayList<>();
        Stream.concat(listeners, Stream.of(config.cluster().tls().keyFile(), apiKey(config)))
                .filter(file -> !file.isEmpty())
                .map(config::file)
                .filter(Objects::nonNull)
                .distinct()
                .filter(file -> permissions(file).contains(PosixFilePermission.OTHERS_READ))
                .forEach(file -> warnings.add("every user of this machine may read the private key " + file
                        + ": \"chmod o= " + file + "\" bars them"));
        return warnings;
    }

    private static String apiKey(BrokerConfig config) {
        return config.api().enable() ? config.api().tls().keyFile() : "";
    }

    /** Warnings if the hashes of the API's tokens are readable, or if others may put another file in place of them. */
    static List<String> ofTokens(BrokerConfig config) {
        Path file = config.file(config.api().tokensFile());
        if (file == null || !config.api().enable()) {
            return List.of();
        }
        List<String> warnings = new ArrayList<>();
        if (permissions(file).contains(PosixFilePermission.OTHERS_READ)) {
            warnings.add("every user of this machine may read the hashes of tokens in " + file + ": \"chmod o= " + file
                    + "\" bars them");
        }
        Path directory = file.toAbsolutePath().getParent();
        if (directory != null && isReplaceable(directory)) {
            warnings.add("others than its owner may replace the tokens file in " + directory + ": \"chmod go-w "
                    + directory + "\" bars them");
        }
        return warnings;
    }

    /** Whether others may replace files of this directory. */
    private static boolean isReplaceable(Path directory) {
        if (Collections.disjoint(permissions(directory), OF_OTHERS)) {
            return false;
        }
        try {
            return ((Integer) Files.getAttribute(directory, "unix:mode") & STICKY) == 0;
        } catch (UnsupportedOperationException | IllegalArgumentException | IOException e) {
            LOG.debug("mode not known directory={}", directory, e);
            return true;
        }
    }

    /** A warning if the users' password hashes are readable. */
    static List<String> ofPasswords(BrokerConfig config) {
        Path file = config.file(config.auth().file());
        boolean isRead = AuthProviders.isFile(config);
        return file == null || !isRead || !permissions(file).contains(PosixFilePermission.OTHERS_READ)
                ? List.of()
                : List.of("every user of this machine may read the password hashes in " + file + ": \"chmod o= " + file
                        + "\" bars them");
    }

    /** A warning if every user may enter the data directory, as one made by an earlier release or by hand. */
    public static List<String> ofData(Path data) {
        return Collections.disjoint(permissions(data), IN_A_DIRECTORY)
                ? List.of()
                : List.of("every user of this machine may enter the data directory " + data
                        + ", which holds messages: \"chmod -R o= " + data + "\" bars them");
    }

    private static Set<PosixFilePermission> permissions(Path file) {
        try {
            return Files.getPosixFilePermissions(file);
        } catch (UnsupportedOperationException | IOException e) {
            LOG.debug("permissions not known file={}", file, e);
            return Set.of();
        }
    }
}
