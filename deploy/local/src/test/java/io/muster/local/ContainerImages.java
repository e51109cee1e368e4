package io.muster.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;

/**
 * What the Dockerfile makes of the packaged jars, laid out in a folder by doing what its COPY and RUN lines say; what
 * needs a base image (users, packages) is left out. So the files, class paths and entry points are the real ones.
 */
final class ContainerImages {

    static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

    private static final Pattern IN_THE_IMAGE =
            Pattern.compile("(?<![\\w./|])/(jars|services|agent|\\$image)(?=[/ \"]|$)");

    private record Line(String stage, String keyword, String rest) {}

    private final Path folder;
    private final List<Line> lines = new ArrayList<>();
    private final List<String> ignore;

    private ContainerImages(Path folder) throws IOException {
        this.folder = folder;
        this.ignore = Files.readAllLines(ComposeFile.FOLDER.resolve("Dockerfile.dockerignore")).stream()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .toList();
        String text = Files.readString(ComposeFile.FOLDER.resolve("Dockerfile"))
                .replaceAll("(?m)^#.*\n", "")
                .replace("\\\n", "");
        String stage = "";
        for (String line : text.lines().filter(line -> !line.isBlank()).toList()) {
            String[] words = line.split(" ", 2);
            if (words[0].equals("FROM")) {
                stage = words[1].substring(words[1].lastIndexOf(' ') + 1);
            }
            lines.add(new Line(stage, words[0], words[1].strip()));
        }
    }

    static ContainerImages build(Path folder) throws Exception {
        ContainerImages images = new ContainerImages(folder);
        for (Line line : images.lines) {
            if (line.keyword().equals("COPY") && !line.rest().startsWith("--from")) {
                images.copy(line.rest());
            } else if (line.keyword().equals("RUN") && line.stage().equals("jars")) {
                images.run(line.rest());
            }
        }
        return images;
    }

    private void copy(String rest) throws IOException {
        List<String> words = Stream.of(rest.split(" +"))
                .filter(word -> !word.startsWith("--"))
                .toList();
        for (String source : words.subList(0, words.size() - 1)) {
            Map<String, Path> found = sources(source);
            assertThat(found)
                    .as("COPY %s: after packaging, in the build context", source)
                    .isNotEmpty();
            for (Map.Entry<String, Path> file : found.entrySet()) {
                Path target = folder.resolve(words.getLast().substring(1));
                Path to = words.getLast().endsWith("/") ? target.resolve(file.getKey()) : target;
                Files.createDirectories(to.getParent());
                Files.copy(file.getValue(), to, StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    /** Files by the name that they get below the target; those that the context leaves out are not there. */
    private Map<String, Path> sources(String source) throws IOException {
        Map<String, Path> found = new TreeMap<>();
        Path path = ROOT.resolve(source);
        if (source.endsWith("/")) {
            try (Stream<Path> below = Files.walk(path)) {
                below.filter(Files::isRegularFile)
                        .forEach(file -> found.put(path.relativize(file).toString(), file));
            }
        } else {
            try (Stream<Path> beside = Files.list(path.getParent())) {
                var matcher = FileSystems.getDefault().getPathMatcher("glob:" + path);
                beside.filter(matcher::matches)
                        .forEach(file -> found.put(file.getFileName().toString(), file));
            }
        }
        found.values().removeIf(file -> isIgnored(ROOT.relativize(file)));
        return found;
    }

    /** As Docker does: the last pattern that matches the file or a folder above it decides. */
    private boolean isIgnored(Path file) {
        boolean ignored = false;
        for (String line : ignore) {
            boolean back = line.startsWith("!");
            String pattern = line.substring(back ? 1 : 0).replaceAll("/$", "");
            var matcher = FileSystems.getDefault().getPathMatcher("glob:" + pattern);
            for (Path part = file; part != null; part = part.getParent()) {
                if (matcher.matches(part)) {
                    ignored = !back;
                }
            }
        }
        return ignored;
    }

    private void run(String script) throws Exception {
        Matcher matcher = IN_THE_IMAGE.matcher(script);
        String here = matcher.replaceAll(found -> Matcher.quoteReplacement(folder + found.group()));
        Process shell = new ProcessBuilder("sh", "-ec", here).inheritIO().start();
        assertThat(shell.waitFor()).as(script).isZero();
        for (String image : List.of("services", "agent")) {
            Path classPath = folder.resolve(image).resolve("classpath");
            Files.writeString(
                    classPath, Files.readString(classPath).replace("/opt/muster/lib", folder + "/" + image + "/lib"));
        }
    }

    /** The jars on the class path of an image, in its order. */
    List<Path> classPath(String image) throws IOException {
        List<String> arguments = Files.readAllLines(folder.resolve(image).resolve("classpath"));
        assertThat(arguments).hasSize(2).startsWith("-cp");
        return Stream.of(arguments.getLast().split(":")).map(Path::of).toList();
    }

    /** The command of the image's entry point, with this JVM's java. */
    List<String> entryPoint(String image) {
        String json = lines.stream()
                .filter(line -> line.stage().equals(image) && line.keyword().equals("ENTRYPOINT"))
                .map(Line::rest)
                .reduce((first, last) -> last)
                .orElseThrow();
        List<String> command =
                new ArrayList<>(List.of(JsonMapper.builder().build().readValue(json, String[].class)));
        assertThat(command.getFirst()).isEqualTo("java");
        command.set(0, Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.replaceAll(word -> word.replace("@/opt/muster/", "@" + folder + "/" + image + "/"));
        return command;
    }

    Path file(String path) {
        return folder.resolve(path.substring(1));
    }
}
