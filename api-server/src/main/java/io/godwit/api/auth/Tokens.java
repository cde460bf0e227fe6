package io.godwit.api.auth;

import io.godwit.api.port.FileWatch;
import io.godwit.api.port.TokenAdmin;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tokens in force: those of the file, read anew when it changes, and those that all nodes have. An entry of the
 * file counts before another of the same token or subject. {@link #reloadIfChanged} on one thread at a time, which may
 * block; the rest on any thread.
 */
public final class Tokens {
    private static final Logger LOG = LoggerFactory.getLogger(Tokens.class);

    private final Path path;
    private final FileWatch watch;
    private final Optional<SharedTokens> shared;
    private volatile TokenFile file;
    /** Why the last look could not read the file, or what was wrong in it; empty when it is in force. */
    private String failure = "";

    private Tokens(Path path, FileWatch watch, TokenFile file, Optional<SharedTokens> shared) {
        this.path = path;
        this.watch = watch;
        this.file = file;
        this.shared = shared;
    }

    /**
     * @param shared those that all nodes have
     * @throws IOException naming the file and what is wrong with it
     */
    public static Tokens load(Path path, FileWatch.Factory watches, Optional<TokenAdmin> shared) throws IOException {
        FileWatch watch = watches.watch(path); // before it is read: a change meanwhile is seen as one
        return new Tokens(path, watch, TokenFile.read(path), shared.map(SharedTokens::new));
    }

    /** The entries of the file. */
    public List<TokenFile.Entry> ofFile() {
        return file.entries();
    }

    /**
     * Takes the file as it is now, when it has changed. One that cannot be read or is wrong is told once, and the
     * tokens of before stay in force: half an edit must not lock everybody out. It is read again at each look then: a
     * token that was removed must not stay valid until the next edit, for a disk that failed at that moment.
     */
    public void reloadIfChanged() {
        boolean hasChanged = watch.hasChanged();
        if (!hasChanged && failure.isEmpty()) {
            return;
        }
        try {
            file = TokenFile.read(path);
            failure = "";
            LOG.info("tokens read anew file={} entries={}", path, file.entries().size());
        } catch (IOException e) {
            String now = String.valueOf(e.getMessage());
            if (hasChanged || !now.equals(failure)) {
                LOG.error("tokens of before stay in force: {}", now);
            }
            failure = now;
        }
    }

    /** Whose token it is; null for nobody's. */
    public @Nullable Principal ofToken(String token) {
        Principal found = file.ofToken(token);
        return found != null || shared.isEmpty() ? found : shared.get().ofToken(token);
    }

    /** Whose certificate it is; null for nobody's. */
    public @Nullable Principal ofSubject(X500Principal subject) {
        Principal found = file.ofSubject(subject);
        return found != null || shared.isEmpty() ? found : shared.get().ofSubject(subject);
    }
}
