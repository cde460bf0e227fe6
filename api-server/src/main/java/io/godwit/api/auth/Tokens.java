package io.godwit.api.auth;

import io.godwit.api.port.FileWatch;
import io.godwit.api.port.access.TokenAdmin;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The valid tokens: those of the file, which is read again when it changes, and those that all nodes share. For the
 * same token or subject an entry of the file takes precedence. {@link #reloadIfChanged} may block and is called by one
 * thread at a time; the rest by any thread.
 */
public final class Tokens {
    private static final Logger LOG = LoggerFactory.getLogger(Tokens.class);

    private final Path path;
    private final FileWatch watch;
    private final Optional<SharedTokens> shared;
    private volatile TokenFile file;
    /** Why the last read of the file failed; empty when the file is in force. */
    private String failure = "";
    /** Names of entries of the file that are also names of shared tokens, as they were logged last. */
    private Set<String> sharedNames = Set.of();

    private Tokens(Path path, FileWatch watch, TokenFile file, Optional<SharedTokens> shared) {
        this.path = path;
        this.watch = watch;
        this.file = file;
        this.shared = shared;
    }

    /**
     * @param shared the tokens that all nodes share
     * @throws IOException naming the file and its error
     */
    public static Tokens load(Path path, FileWatch.Factory watches, Optional<TokenAdmin> shared) throws IOException {
        FileWatch watch = watches.watch(path); // before the file is read, so that a change meanwhile is noticed
        return new Tokens(path, watch, TokenFile.readOwn(path), shared.map(SharedTokens::new));
    }

    /** The entries of the file. */
    public List<TokenFile.Entry> ofFile() {
        return file.entries();
    }

    /**
     * Reads the file again when it has changed. If it cannot be read or is wrong, the error is logged once and the old
     * tokens stay in force: a half-finished edit must not lock everybody out. Until it can be read, each call tries
     * again: a removed token must not stay valid until the next edit because the disk failed once.
     */
    public void reloadIfChanged() {
        warnOfSharedNames();
        boolean hasChanged = watch.hasChanged();
        if (!hasChanged && failure.isEmpty()) {
            return;
        }
        try {
            file = TokenFile.readOwn(path);
            failure = "";
            LOG.info("tokens reloaded file={} entries={}", path, file.entries().size());
        } catch (IOException e) {
            String now = String.valueOf(e.getMessage());
            if (hasChanged || !now.equals(failure)) {
                LOG.error("tokens not reloaded, the old ones stay in force: {}", now);
            }
            failure = now;
        }
    }

    /**
     * Warns of tokens of the file with the name of a token of the API: an operator may take one for the other. Such a
     * name is not refused when a token is made, because a node does not see the token files of other nodes.
     */
    private void warnOfSharedNames() {
        Set<String> names = new TreeSet<>(shared.map(SharedTokens::names).orElse(Set.of()));
        names.retainAll(file.entries().stream().map(TokenFile.Entry::name).collect(Collectors.toSet()));
        if (!names.isEmpty() && !names.equals(sharedNames)) {
            LOG.warn(
                    "tokens of the file have the names of tokens of the API, the audit log has source= for each file={}"
                            + " names={}",
                    path,
                    names);
        }
        sharedNames = names;
    }

    /** The owner of a token; null when it is unknown. */
    public @Nullable Principal ofToken(String token) {
        Principal found = file.ofToken(token);
        return found != null || shared.isEmpty() ? found : shared.get().ofToken(token);
    }

    /** The owner of a certificate; null when it is unknown. */
    public @Nullable Principal ofSubject(X500Principal subject) {
        Principal found = file.ofSubject(subject);
        return found != null || shared.isEmpty() ? found : shared.get().ofSubject(subject);
    }
}
