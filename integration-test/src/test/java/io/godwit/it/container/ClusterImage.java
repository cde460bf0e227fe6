package io.godwit.it.container;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.api.model.Image;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.godwit.it.broker.BrokerProcess;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The image that nodes in containers run out of: one layer of this machine's own files, so that nothing is pulled and
 * the nodes run on the JDK that runs the tests. In it are
 *
 * <ul>
 *   <li>{@code /opt/godwit}: the distribution that the build has laid out, without its {@code data} and {@code log};
 *   <li>{@code /opt/java}: of the JDK the {@code java} program, {@code conf} and {@code lib}, without sources, tools
 *       and what draws or plays;
 *   <li>{@code /usr/bin}: bash and the programs that {@code bin/standalone.sh} calls, and {@code ip}, by which links
 *       are cut, where this machine has it;
 *   <li>the shared libraries that all these are linked with, and those that the distribution's native libraries need,
 *       by {@code ldd}, each where it lies here, with the cache of the dynamic loader;
 *   <li>{@code /etc}: the names of root and of the hosts' lookup, enough for the C library.
 * </ul>
 *
 * <p>Its tag is a hash of the layer, which bears no times of its making: the same distribution on the same machine is
 * loaded once. Those of yesterday and before are removed where no container uses them.
 *
 * <p>The engine is given an archive as {@code docker save} writes them: the layer, a configuration that names its hash,
 * and a manifest that names both. (It would import the bare tar as well, but the client does not send one.)
 */
public final class ClusterImage {
    public static final String JAVA_HOME = "/opt/java";
    public static final String GODWIT = "/opt/godwit";

    private static final Logger LOG = LoggerFactory.getLogger(ClusterImage.class);
    private static final String REPOSITORY = "godwit-it";
    private static final Duration KEPT = Duration.ofDays(1);

    private static @Nullable String name;

    private ClusterImage() {}

    /** Its name with its tag; made when the engine does not have it. */
    public static synchronized String name() throws IOException {
        String known = name;
        if (known == null) {
            known = make();
            name = known;
        }
        return known;
    }

    private static String make() throws IOException {
        long begin = System.nanoTime();
        Path layer = Files.createTempFile("layer", ".tar");
        try {
            String hash = write(layer);
            String made = REPOSITORY + ':' + hash.substring(0, 16);
            boolean isThere = isThere(made);
            if (!isThere) {
                try (InputStream in = archive(made, hash, layer)) {
                    Engine.ask(
                            "load of " + made,
                            () -> Engine.client().loadImageCmd(in).exec());
                }
                if (!isThere(made)) {
                    throw new IOException("the engine has not taken " + made);
                }
                removeOld(made);
            }
            LOG.info(
                    "image {}, {} MB, {} in {} ms",
                    made,
                    Files.size(layer) >> 20,
                    isThere ? "found" : "loaded",
                    TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin));
            return made;
        } finally {
            Files.deleteIfExists(layer);
        }
    }

    /** Returns its SHA-256. */
    private static String write(Path layer) throws IOException {
        MessageDigest digest = sha256();
        try (OutputStream file = new BufferedOutputStream(Files.newOutputStream(layer), 1 << 16);
                DigestOutputStream out = new DigestOutputStream(file, digest)) {
            new MachineFiles(Path.of(System.getProperty("java.home")), BrokerProcess.distribution()).write(out);
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private static InputStream archive(String image, String hash, Path layer) throws IOException {
        JsonObject rootfs = new JsonObject();
        rootfs.addProperty("type", "layers");
        rootfs.add("diff_ids", array("sha256:" + hash));
        JsonObject config = new JsonObject();
        config.addProperty("architecture", architecture());
        config.addProperty("os", "linux");
        config.addProperty("created", Instant.now().toString());
        config.add("config", new JsonObject());
        config.add("rootfs", rootfs);
        JsonObject manifest = new JsonObject();
        manifest.addProperty("Config", "config.json");
        manifest.add("RepoTags", array(image));
        manifest.add("Layers", array("layer.tar"));
        JsonArray manifests = new JsonArray();
        manifests.add(manifest);

        ByteArrayOutputStream head = new ByteArrayOutputStream();
        @SuppressWarnings("resource") // ends with the layer, which is not copied through it
        TarArchiveOutputStream tar = new TarArchiveOutputStream(head, "UTF-8");
        entry(tar, "config.json", config);
        entry(tar, "manifest.json", manifests);
        TarArchiveEntry last = new TarArchiveEntry("layer.tar");
        last.setSize(Files.size(layer)); // whole records, as that of every tar
        tar.putArchiveEntry(last);
        tar.flush();
        return new SequenceInputStream(Collections.enumeration(List.of(
                new ByteArrayInputStream(head.toByteArray()),
                new BufferedInputStream(Files.newInputStream(layer), 1 << 16),
                new ByteArrayInputStream(new byte[2 * TarConstants.DEFAULT_RCDSIZE]))));
    }

    private static JsonArray array(String element) {
        JsonArray array = new JsonArray();
        array.add(element);
        return array;
    }

    private static void entry(TarArchiveOutputStream tar, String name, JsonElement json) throws IOException {
        byte[] bytes = json.toString().getBytes(UTF_8);
        TarArchiveEntry entry = new TarArchiveEntry(name);
        entry.setSize(bytes.length);
        tar.putArchiveEntry(entry);
        tar.write(bytes);
        tar.closeArchiveEntry();
    }

    /** As engines call it. */
    private static String architecture() {
        String name = System.getProperty("os.arch");
        return name.equals("aarch64") ? "arm64" : name;
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean isThere(String image) throws IOException {
        try {
            Engine.client().inspectImageCmd(image).exec();
            return true;
        } catch (NotFoundException e) {
            return false;
        } catch (DockerException e) {
            throw new IOException(e);
        }
    }

    private static void removeOld(String current) {
        DockerClient client = Engine.client();
        long before = Instant.now().minus(KEPT).getEpochSecond();
        for (Image image :
                client.listImagesCmd().withReferenceFilter(REPOSITORY).exec()) {
            if (image.getCreated() < before && !List.of(image.getRepoTags()).contains(current)) {
                try {
                    client.removeImageCmd(image.getId()).exec();
                } catch (DockerException e) {
                    LOG.debug("in use: {}", image.getId(), e);
                }
            }
        }
    }
}
