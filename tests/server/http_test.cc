// The HTTP endpoint of a real server, on the tests' engine.
#include <gmock/gmock.h>
#include <httplib.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "quantgate/v1/report_service.pb.h"
#include "quantgate/v1/validation_service.pb.h"
#include "server/address.h"
#include "server/http/guard.h"
#include "server/http/transcode.h"
#include "tests/server/server_fixture.h"

namespace quantgate::server {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Json = nlohmann::json;

const httplib::Headers kOwnPage = {{"X-QuantGate-Request", "1"}};

class HttpTest : public ServerTest {
 protected:
  // Uploads go to the test's own folder: others may upload at the same time.
  HttpTest() : everybodys_(std::filesystem::temp_directory_path()) { setenv("TMPDIR", folder_.c_str(), 1); }
  ~HttpTest() override {
    server_.reset();
    setenv("TMPDIR", everybodys_.c_str(), 1);
  }

  // With a program in the place of `quantgate import`: a shell script.
  void StartHttp(const std::string& import_script = "") {
    options_.http = "127.0.0.1:0";
    auto store = db::OpenReportStore(store_address_);
    ASSERT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
    Server::Dependencies dependencies = {fake::Check, fake::Rules(), modules_, store_.get(), log_};
    dependencies.decode = [](absl::string_view text) -> absl::StatusOr<std::string> {
      if (text.empty()) return absl::InvalidArgumentError("text: nothing to decode");
      return absl::StrCat("{\"lines\": ", text.size(), "}");
    };
    if (!import_script.empty()) {
      const std::string path = (folder_ / "import").string();
      std::ofstream(path) << "#!/bin/sh\n" << import_script;
      chmod(path.c_str(), 0700);
      dependencies.import_command = {path};
    }
    auto server = Server::Start(options_, std::move(dependencies));
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    http_ = std::make_unique<httplib::Client>("http://" + server_->http_address());
    http_->set_read_timeout(30);
  }

  // A JSON answer of that HTTP status.
  static Json Body(const httplib::Result& result, int status) {
    EXPECT_TRUE(result) << httplib::to_string(result.error());
    if (!result) return {};
    EXPECT_EQ(result->status, status) << result->body;
    const Json json = Json::parse(result->body, nullptr, false);
    EXPECT_TRUE(json.is_object()) << result->body;
    return json;
  }
  static std::string Message(const httplib::Result& result, int status) {
    return Body(result, status).value("message", "");
  }
  Json Validate(const std::string& body, int status) {
    return Body(http_->Post("/v1/graphs:validate", body, "application/json"), status);
  }
  int Connect() const {
    const int fd = StartToConnect(/*flags=*/0);
    EXPECT_TRUE(IsConnected(fd));
    return fd;
  }
  // `flags`: further ones of socket().
  int StartToConnect(int flags) const {
    const int fd = socket(AF_INET, SOCK_STREAM | flags, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<uint16_t>(ParseAddress(server_->http_address())->port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_TRUE(connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0 || errno == EINPROGRESS);
    return fd;
  }
  static bool IsConnected(int fd) {
    pollfd wait = {fd, POLLOUT, 0};
    return poll(&wait, 1, 0) == 1 && (wait.revents & (POLLERR | POLLHUP)) == 0;
  }
  // Connections on which a part of a body was sent.
  std::vector<int> SendHalfBodies(int count) const {
    const std::string half =
        "POST /v1/logs:decode HTTP/1.1\r\nHost: localhost\r\nX-QuantGate-Request: 1\r\nContent-Length: 100\r\n\r\nx";
    std::vector<int> connections;
    for (int i = 0; i < count; ++i) {
      connections.push_back(Connect());
      (void)send(connections.back(), half.data(), half.size(), MSG_NOSIGNAL);
    }
    return connections;
  }
  // What the server says to these bytes, until it closes the connection.
  std::string Raw(const std::string& bytes) const {
    const int fd = Connect();
    (void)send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    return Received(fd);
  }
  // Until the server closes it.
  static std::string Received(int fd) {
    const timeval patience = {20, 0};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    std::string answer;
    char buffer[4096];
    for (ssize_t n; (n = recv(fd, buffer, sizeof buffer, 0)) > 0;) answer.append(buffer, static_cast<size_t>(n));
    close(fd);
    return answer;
  }
  // Folders that uploads left behind.
  int UploadFolders() const {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      count += entry.path().filename().string().starts_with("quantgate-upload-") ? 1 : 0;
    }
    return count;
  }

  const std::filesystem::path everybodys_;
  std::unique_ptr<httplib::Client> http_;
};

TEST_F(HttpTest, JsonAnswersAreThoseOfTheServices) {
  StartHttp();
  const Json made =
      Validate(R"({"graph":{"name":"g"},"options":{"targets":["good/S1"],"model":{"path":"m.onnx"}}})", 200);
  const std::string name = made["report"]["name"];
  EXPECT_EQ(made["report"]["results"][0]["verdict"], "ACCEPTED");
  const Json again = Body(http_->Get("/v1/" + name), 200);
  EXPECT_EQ(again, made);
  const Json list = Body(http_->Get("/v1/reports?filter=model.path%3D%22m.onnx%22&pageSize=1"), 200);
  ASSERT_EQ(list["reports"].size(), 1u);
  EXPECT_EQ(list["reports"][0]["name"], name);
  EXPECT_THAT(Body(http_->Get("/v1/reports?filter=model.path%3D%22other%22"), 200)["reports"], IsEmpty());
  // As people write it: only what ends a parameter needs to be escaped.
  http_->set_url_encode(false);
  EXPECT_EQ(
      Body(http_->Get("/v1/reports?filter=model.path%20=%20\"m.onnx\"+AND+verdict+=+ACCEPTED"), 200)["reports"].size(),
      1u);
  EXPECT_THAT(Body(http_->Get("/v1/reports?filter=verdict%20=%20REJECTED"), 200)["reports"], IsEmpty());
  http_->set_url_encode(true);
  const Json targets = Body(http_->Get("/v1/targets?page_size=1&backend=good"), 200);
  EXPECT_EQ(targets["targets"][0]["name"], "good/S1");
  EXPECT_NE(targets["nextPageToken"], "");
  EXPECT_EQ(Body(http_->Get("/v1/rules/NR001"), 200)["rule"]["code"], "NR001");
  EXPECT_EQ(Body(http_->Get("/v1/constraintTables"), 200)["tables"].size(), 2u);
  EXPECT_EQ(Body(http_->Get("/v1/" + name + "/graph"), 200)["graph"]["name"], "g");
  EXPECT_THAT(Body(http_->Get("/v1/" + name + "/groups"), 200)["groups"], IsEmpty());
  EXPECT_EQ(Body(http_->Get("/v1/reports/7/groups"), 400)["code"], 3);
  EXPECT_EQ(Body(http_->Get("/v1/reports:diff?base=" + name + "&other=" + name), 200)["targets"].size(), 1u);
  EXPECT_EQ(Body(http_->Get("/v1/fleet"), 200)["entries"][0]["newest"]["report"], name);
  EXPECT_FALSE(Body(http_->Get("/v1/trends?step=STEP_WEEK&endTime=2026-01-01T00:00:00Z"), 200)["points"].empty());
  EXPECT_EQ(Body(http_->Get("/v1/trends?endTime=yesterday"), 400)["code"], 3);
  EXPECT_EQ(Body(http_->Delete(("/v1/" + name).c_str(), kOwnPage), 200), Json::object());
  EXPECT_EQ(Body(http_->Get("/v1/" + name), 404)["code"], 5);
}

TEST_F(HttpTest, ErrorsAreStatusesWithTheirDetails) {
  StartHttp();
  const Json bad = Body(http_->Get("/v1/reports?filter=nonsense"), 400);
  EXPECT_EQ(bad["code"], 3);
  EXPECT_EQ(bad["details"][0]["@type"], "type.googleapis.com/google.rpc.BadRequest");
  EXPECT_EQ(bad["details"][0]["fieldViolations"][0]["field"], "filter");
  EXPECT_EQ(Body(http_->Get("/v1/reports?pageToken=tampered"), 400)["code"], 3);
  EXPECT_EQ(Body(http_->Get("/v1/reports?pageSize=-1"), 400)["code"], 3);
  EXPECT_THAT(Message(http_->Get("/v1/reports?pageSize=many"), 400), HasSubstr("'many' is no"));
  EXPECT_THAT(Message(http_->Get("/v1/reports?nonsense=1"), 400), HasSubstr("'nonsense' is no parameter"));
  EXPECT_THAT(Message(http_->Get("/v1/reports?filter=%ff%fe"), 400), HasSubstr("UTF-8"));
  const auto field = [](const Json& status) { return status["details"][0]["fieldViolations"][0]["field"]; };
  EXPECT_EQ(field(Body(http_->Get("/v1/reports?nonsense=1"), 400)), "nonsense");
  EXPECT_EQ(field(Body(http_->Get("/v1/reports?pageSize=many"), 400)), "pageSize");
  Body(http_->Get("/v1/reports?%ff%fe=1"), 400);
  const Json no_json = Body(http_->Post("/v1/graphs:validate", "{nonsense", "application/json"), 400);
  EXPECT_EQ(field(no_json), "body");
  EXPECT_THAT(no_json["message"].get<std::string>(), Not(HasSubstr("\n")));
  EXPECT_EQ(field(Body(http_->Post("/v1/graphs:validate", R"({"nonsense": 1})", "application/json"), 400)), "body");
  EXPECT_EQ(Body(http_->Get("/v1/nothing"), 404)["code"], 5);
  EXPECT_EQ(Body(http_->Get("/v1/reports/../../etc/passwd"), 404)["code"], 5);
  EXPECT_EQ(Body(http_->Get("/v1/reports/%2e%2e%2fx"), 404)["code"], 5);
  EXPECT_EQ(Body(http_->Get("/../../../../etc/passwd.html"), 404)["code"], 5);
  EXPECT_EQ(Body(http_->Get("/v1/reports/1'%20OR%20'1'='1"), 400)["code"], 3);
}

TEST_F(HttpTest, MethodsThatAResourceDoesNotHave) {
  StartHttp();
  const auto put = http_->Put("/v1/reports", "{}", "application/json");
  EXPECT_EQ(Body(put, 405)["code"], 12);
  EXPECT_THAT(put->get_header_value("Allow"), HasSubstr("GET"));
  const auto post = http_->Post("/v1/fleet", "{}", "application/json");
  EXPECT_EQ(Body(post, 405)["code"], 12);
  EXPECT_EQ(post->get_header_value("Allow"), "GET");
  EXPECT_THAT(Body(http_->Delete("/v1/fleet", kOwnPage), 405)["code"], 12);
  EXPECT_THAT(Body(http_->Delete("/", kOwnPage), 404)["code"], 5);
  for (const auto& [method, path, allow] :
       std::vector<std::array<std::string, 3>>{{"OPTIONS", "/v1/reports", "GET"},
                                               {"PUT", "/v1/reports/7", "GET, DELETE"},
                                               {"GET", "/v1/models:check", "POST"},
                                               {"GET", "/v1/logs:decode", "POST"},
                                               {"DELETE", "/v1/events", "GET"}}) {
    const std::string answer = Raw(absl::StrCat(method, " ", path, " HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    EXPECT_THAT(answer, HasSubstr("HTTP/1.1 405 ")) << method << " " << path;
    EXPECT_THAT(answer, HasSubstr(absl::StrCat("Allow: ", allow, "\r\n"))) << method << " " << path;
  }
  EXPECT_EQ(http_->Head("/v1/rules")->get_header_value("Accept-Ranges"), "none");
  EXPECT_THAT(Raw("BREW /v1/reports HTTP/1.1\r\n\r\n"), HasSubstr(" 400 "));
}

TEST_F(HttpTest, NoLengthIsNoBody) {
  StartHttp();
  const absl::Time start = absl::Now();
  const std::string head = "POST /v1/reports:prune HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
  EXPECT_THAT(Raw(head + "X-QuantGate-Request: 1\r\n\r\n"), HasSubstr("the body is no PruneReportsRequest"));
  EXPECT_THAT(Raw(head + "X-QuantGate-Request: 1\r\nTransfer-Encoding: gzip\r\n\r\n"), HasSubstr("only chunked"));
  EXPECT_LT(absl::Now() - start, absl::Seconds(10));
}

TEST_F(HttpTest, MalformedJson) {
  StartHttp();
  for (const char* body : {"", "{", "[]", "null", "{\"graph\": 7}", "{\"nonsense\": {}}", "\xff\xfe",
                           "{\"graph\":{\"nodes\":[{\"op\":\"x\"}]}}"}) {
    EXPECT_EQ(Validate(body, 400)["code"], 3) << body;
  }
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "{\"graph\":";
  EXPECT_EQ(Validate(deep, 400)["code"], 3);
  EXPECT_EQ(Validate("{\"graph\":{\"subgraphs\":" + std::string(50'000, '[') + "}}", 400)["code"], 3);
  EXPECT_EQ(Validate(R"({"graph":{"name":"throw"}})", 500)["code"], 13);
  EXPECT_EQ(Validate(R"({"graph":{},"options":{"targets":["nothing"]}})", 404)["code"], 5);
}

TEST_F(HttpTest, BodiesAreBounded) {
  StartHttp("exit 0\n");
  EXPECT_THAT(Message(http_->Post("/v1/logs:decode", std::string(17 << 20, 'x'), "application/json"), 413),
              HasSubstr("max_http_body_bytes"));
  const std::string head = " HTTP/1.1\r\nHost: localhost\r\nX-QuantGate-Request: 1\r\n";
  // Refused before any of it has come.
  EXPECT_THAT(Raw("POST /v1/models:check" + head + "Content-Length: 5368709120\r\n\r\n"), HasSubstr(" 413 "));
  EXPECT_THAT(Raw("POST /v1/models:check" + head + "Content-Length: 5368709120\r\nExpect: 100-continue\r\n\r\n"),
              HasSubstr(" 413 "));
  EXPECT_THAT(Raw("POST /v1/models:check" + head + "Content-Length: -1\r\n\r\n"), HasSubstr(" 400 "));
  EXPECT_THAT(Raw("POST /v1/logs:decode" + head + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n"),
              HasSubstr(" 400 "));
  EXPECT_THAT(Raw("POST /v1/logs:decode" + head + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"),
              HasSubstr(" 400 "));
  EXPECT_THAT(Raw("POST /v1/logs:decode" + head + "Content-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx"),
              HasSubstr(" 415 "));
  EXPECT_THAT(Raw("POST /v1/logs:decode" + head +
                  "Content-Type: multipart/form-data; boundary=a\r\nContent-Length: 1\r\n\r\nx"),
              HasSubstr(" 415 "));
  // In pieces, so that nothing says beforehand how much there is.
  std::string chunk = "100000\r\n" + std::string(1 << 20, 'x') + "\r\n", chunks;
  for (int i = 0; i < 18; ++i) chunks += chunk;
  EXPECT_THAT(Raw("POST /v1/logs:decode" + head + "Transfer-Encoding: chunked\r\n\r\n" + chunks), HasSubstr(" 413 "));
  // Heads too.
  std::string headers;
  for (int i = 0; i < 20'000; ++i) headers += absl::StrCat("h", i, ": x\r\n");
  EXPECT_THAT(Raw("GET /v1/rules HTTP/1.1\r\n" + headers + "\r\n"), Not(HasSubstr(" 200 ")));
  EXPECT_THAT(Raw("GET /" + std::string(1 << 20, 'x')), Not(HasSubstr(" 200 ")));
  EXPECT_EQ(http_->Get("/v1/rules")->status, 200);
}

TEST_F(HttpTest, ClientsThatStayDoNotKeepOthersOut) {
  StartHttp();
  std::vector<int> idle;
  for (int i = 0; i < 40; ++i) {
    idle.push_back(Connect());
    if (i % 2 == 0) (void)send(idle.back(), "GET / HTTP/1.1\r\nA: ", 19, MSG_NOSIGNAL);
  }
  // More than there are threads; they lose their connections after a while.
  http_->set_read_timeout(60);
  EXPECT_EQ(http_->Get("/v1/rules")->status, 200);
  for (const int fd : idle) close(fd);
}

// More half-sent heads than threads. Alone they would have ten seconds each; while somebody waits they have not.
TEST_F(HttpTest, HalfSentHeadsDoNotHoldAProbeUp) {
  StartHttp();
  std::vector<int> half;
  for (int i = 0; i < 40; ++i) {
    half.push_back(Connect());
    (void)send(half.back(), "GET / HTTP/1.1\r\nA: ", 19, MSG_NOSIGNAL);
  }
  http_->set_read_timeout(6);
  const auto probe = http_->Get("/healthz");
  ASSERT_TRUE(probe) << httplib::to_string(probe.error());
  EXPECT_EQ(probe->status, 200);
  for (const int fd : half) close(fd);
}

TEST_F(HttpTest, PagesOfOtherSitesGetNothing) {
  options_.http_names = {"gate.example"};
  StartHttp();
  const auto get = [&](const httplib::Headers& headers) { return http_->Get("/v1/rules", headers)->status; };
  EXPECT_EQ(get({{"Host", "evil.example"}}), 403);
  EXPECT_EQ(get({{"Host", "evil.example:80"}}), 403);
  EXPECT_EQ(get({{"Host", "gate.example:8080"}}), 200);
  EXPECT_EQ(get({{"Host", "localhost"}}), 200);
  EXPECT_EQ(get({{"Host", "[::1]:80"}}), 200);
  EXPECT_EQ(http_->Get("/metrics", {{"Host", "quantgate.monitoring.svc"}})->status, 200);
  EXPECT_EQ(http_->Get("/healthz", {{"Host", "quantgate.monitoring.svc"}})->status, 200);
  const std::string body = R"({"graph":{"name":"g"}})";
  const auto post = [&](httplib::Headers headers, const char* type) {
    return http_->Post("/v1/graphs:validate", headers, body, type)->status;
  };
  EXPECT_EQ(post({}, "application/json"), 200);
  EXPECT_EQ(post({}, "text/plain"), 403);
  EXPECT_EQ(post({}, "text/plain; application/json"), 403);
  EXPECT_EQ(post(kOwnPage, "text/plain"), 200);
  EXPECT_EQ(post({{"Origin", "http://evil.example"}}, "application/json"), 403);
  EXPECT_EQ(post({{"Origin", "null"}}, "application/json"), 403);
  // A proxy that has TLS and asks by address: the page's own name is known, and nothing else is the page.
  EXPECT_EQ(post({{"Origin", "https://gate.example"}}, "application/json"), 200);
  EXPECT_EQ(post({{"Origin", "https://gate.example:8443"}}, "application/json"), 200);
  EXPECT_EQ(post({{"Origin", "http://GATE.example:8080"}}, "application/json"), 200);
  EXPECT_EQ(post({{"Origin", "https://Gate.Example"}, {"Sec-Fetch-Site", "same-origin"}}, "application/json"), 200);
  for (const char* other : {"https://gate.example.evil", "https://evil-gate.example", "https://gate.example.evil:443",
                            "ftp://gate.example", "gate.example", "http://127.0.0.1", "http://localhost"}) {
    EXPECT_EQ(post({{"Origin", other}}, "application/json"), 403) << other;
  }
  EXPECT_EQ(post({{"Origin", "https://gate.example"}, {"Sec-Fetch-Site", "cross-site"}}, "application/json"), 403);
  EXPECT_EQ(post({{"Sec-Fetch-Site", "cross-site"}}, "application/json"), 403);
  EXPECT_EQ(post({{"Origin", "http://" + server_->http_address()}}, "application/json"), 200);
  EXPECT_EQ(http_->Delete("/v1/reports/7")->status, 403);
  const auto page = http_->Get("/");
  EXPECT_THAT(page->get_header_value("Content-Security-Policy"), HasSubstr("script-src 'self';"));
  EXPECT_EQ(page->get_header_value("X-Content-Type-Options"), "nosniff");
  EXPECT_FALSE(page->has_header("Access-Control-Allow-Origin"));
  EXPECT_FALSE(http_->Options("/v1/rules")->has_header("Access-Control-Allow-Origin"));
}

TEST_F(HttpTest, ThePageIsThereAndIsNotSentTwice) {
  StartHttp();
  const auto page = http_->Get("/");
  ASSERT_EQ(page->status, 200);
  EXPECT_EQ(page->get_header_value("Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(http_->Get("/reports/7")->body, page->body);  // an address of the page itself
  EXPECT_EQ(http_->Get("/", {{"If-None-Match", page->get_header_value("ETag")}})->status, 304);
  for (const char* view : {"/reports", "/reports/", "/reports/7/graph", "/trends", "/compare", "/check", "/decode"}) {
    EXPECT_EQ(http_->Get(view)->status, 200) << view;
  }
  for (const char* nothing : {"/no-such.js", "/v1", "/v1/", "/v2/reports", "/metrics/", "/reports/7/8",
                              "/reports/7/graph/9", "/trends/1", "/no-such"}) {
    EXPECT_EQ(http_->Get(nothing)->status, 404) << nothing;
  }
  EXPECT_EQ(http_->Head("/")->status, 200);
}

TEST_F(HttpTest, LogsAreDecoded) {
  StartHttp();
  const auto decode = [&](const std::string& body) { return http_->Post("/v1/logs:decode", body, "application/json"); };
  EXPECT_EQ(Body(decode(R"({"text":"abc"})"), 200)["lines"], 3);
  EXPECT_THAT(Message(decode(R"({"text":""})"), 400), HasSubstr("nothing to decode"));
  for (const std::string& bad : {std::string("{"), std::string("[]"), std::string("{\"text\":3}"),
                                 std::string(R"({"text":"abc","txet":""})"), std::string(1 << 20, '[')}) {
    EXPECT_EQ(Body(decode(bad), 400)["code"], 3);
  }
  EXPECT_EQ(Body(decode("{\"text\":\"" + std::string(3 << 20, 'x') + "\"}"), 413)["code"], 8);
}

TEST_F(HttpTest, EventsTellOfChecks) {
  StartHttp();
  // What is said until a check has ended.
  const auto events_of = [&](const std::string& body, int status) {
    std::string text;
    httplib::Client watcher("http://" + server_->http_address());
    watcher.set_read_timeout(30);
    std::atomic<bool> watching{false};
    std::thread reader([&] {
      (void)watcher.Get("/v1/events", [&](const char* data, size_t size) {
        watching = true;
        text.append(data, size);
        return text.find("event: finished") == std::string::npos ||
               text.find("\n\n", text.find("event: finished")) == std::string::npos;
      });
    });
    EXPECT_TRUE(Eventually([&] { return watching.load(); }));
    Validate(body, status);
    reader.join();
    return text;
  };
  const std::string text = events_of(R"({"graph":{"name":"g"},"options":{"model":{"path":"<b>\nevent: x"}}})", 200);
  EXPECT_THAT(text, HasSubstr("event: started\ndata: {\"id\":1,\"phase\":\"checking\",\"model\":\"<b>\\nevent: x\""));
  EXPECT_THAT(text, HasSubstr("\"verdict\":\"ACCEPTED\""));
  EXPECT_THAT(events_of(R"({"graph":{"name":"throw"}})", 500),
              HasSubstr("\"error\":\"ended by a fault of the server\""));
}

TEST_F(HttpTest, WatchersAreFewAndEndWithTheServer) {
  StartHttp();
  std::vector<std::thread> readers;
  std::atomic<int> watching{0}, refused{0};
  for (int i = 0; i < 20; ++i) {
    readers.emplace_back([&] {
      httplib::Client watcher("http://" + server_->http_address());
      watcher.set_read_timeout(30);
      bool first = true;
      const auto result = watcher.Get(
          "/v1/events",
          [&](const httplib::Response& response) {
            refused += response.status == 503 ? 1 : 0;
            return response.status == 200;
          },
          [&](const char*, size_t) {
            watching += first ? 1 : 0;
            first = false;
            return true;
          });
    });
  }
  EXPECT_TRUE(Eventually([&] { return watching == 16 && refused == 4; })) << watching << " " << refused;
  EXPECT_EQ(http_->Get("/v1/rules")->status, 200);
  server_->Drain(absl::Seconds(5));
  for (std::thread& reader : readers) reader.join();
}

// Copies what was sent to the graph, after what it would say of the file.
constexpr char kTakes[] = R"sh(shift 0
model=$1
printf '{"path":"%s","format":"onnx","sha256":"ab"}' "$model" > info.json
cat "$model" > graph.pb
)sh";

TEST_F(HttpTest, AModelIsReadElsewhereAndChecked) {
  StartHttp(kTakes);
  v1::Graph graph;
  graph.set_name("g");
  const int folders = UploadFolders();
  const auto send = [&](const std::string& query, const std::string& bytes) {
    return http_->Post("/v1/models:check" + query, kOwnPage, bytes, "application/octet-stream");
  };
  const Json report =
      Body(send("?target=good/S1&target=good/S2&path=models/m.onnx", graph.SerializeAsString()), 200)["report"];
  EXPECT_EQ(report["results"].size(), 2u);
  EXPECT_EQ(report["model"]["path"], "models/m.onnx");
  EXPECT_EQ(report["model"]["format"], "onnx");
  EXPECT_EQ(Body(http_->Get("/v1/" + std::string(report["name"])), 200)["report"], report);
  EXPECT_EQ(Body(send("?path=-rf%20%2F;ls", graph.SerializeAsString()), 200)["report"]["model"]["path"], "-rf /;ls");
  EXPECT_EQ(Body(send("?path=../../x", graph.SerializeAsString()), 200)["report"]["model"]["path"], "../../x");
  EXPECT_EQ(Body(send("", "\x0a\xff"), 400)["code"], 3);  // no graph
  EXPECT_EQ(Body(send("", ""), 400)["code"], 3);
  EXPECT_EQ(Body(send("?nonsense=1", "x"), 400)["code"], 3);
  EXPECT_EQ(Body(send("?target=nothing", graph.SerializeAsString()), 404)["code"], 5);
  const Json refused = Body(send("?requestId=" + std::string(1000, 'x'), graph.SerializeAsString()), 400);
  EXPECT_EQ(refused["details"][0]["fieldViolations"][0]["field"], "options.request_id") << refused;
  EXPECT_EQ(UploadFolders(), folders);
}

TEST_F(HttpTest, AModelLargerThanAllowed) {
  options_.max_upload_bytes = 1000;
  StartHttp(kTakes);
  const int folders = UploadFolders();
  EXPECT_THAT(
      Message(http_->Post("/v1/models:check", kOwnPage, std::string(1001, 'x'), "application/octet-stream"), 413),
      HasSubstr("max_upload_bytes=1000"));
  const std::string answer =
      Raw("POST /v1/models:check HTTP/1.1\r\nHost: localhost\r\nX-QuantGate-Request: 1\r\nTransfer-Encoding: "
          "chunked\r\n\r\n"
          "800\r\n" +
          std::string(2048, 'x') + "\r\n0\r\n\r\n");
  EXPECT_THAT(answer, HasSubstr("HTTP/1.1 413 "));
  EXPECT_THAT(answer, HasSubstr("max_upload_bytes=1000"));
  EXPECT_EQ(UploadFolders(), folders);
}

TEST_F(HttpTest, AnEmptyUploadIsAboutTheBody) {
  StartHttp(kTakes);
  const Json empty = Body(http_->Post("/v1/models:check", kOwnPage, "", "application/octet-stream"), 400);
  EXPECT_EQ(empty["details"][0]["fieldViolations"][0]["field"], "body");
}

TEST_F(HttpTest, UploadsAreCountedAndLoggedThoseRefusedEarlyToo) {
  options_.max_upload_bytes = 1000;
  StartHttp(kTakes);
  ::testing::internal::CaptureStderr();
  const std::string large(1001, 'x');
  EXPECT_EQ(http_->Post("/v1/models:check", kOwnPage, large, "application/octet-stream")->status, 413);
  EXPECT_EQ(http_->Post("/v1/models:check", large, "text/plain")->status, 403);
  EXPECT_EQ(http_->Post("/v1/models:check", kOwnPage, "x", "application/octet-stream")->status, 400);  // no graph
  EXPECT_EQ(http_->Post("/v1/logs:decode", kOwnPage, std::string(17 << 20, 'x'), "text/plain")->status, 413);
  const std::string log = ::testing::internal::GetCapturedStderr();
  const std::string metrics = http_->Get("/metrics")->body;
  for (const char* code : {"RESOURCE_EXHAUSTED", "PERMISSION_DENIED", "INVALID_ARGUMENT"}) {
    EXPECT_THAT(metrics, HasSubstr(absl::StrCat("quantgate_uploads_total{code=\"", code, "\"} 1\n")));
    EXPECT_THAT(log, HasSubstr(absl::StrCat("\"event\":\"upload\",\"status\":\"", code, "\",\"message\":\"")));
  }
}

TEST_F(HttpTest, FindingsAreCountedOnceTheirReportIsStored) {
  const std::string bad = R"({"graph": {"name": "g", "nodes": [{"name": "bad"}]}})";
  StartHttp();
  Validate(bad, 200);
  EXPECT_THAT(http_->Get("/metrics")->body, HasSubstr("quantgate_findings_total{code=\"NR001\"} 1\n"));
  server_.reset();
  store_address_ += "?mode=ro";
  StartHttp();
  Validate(bad, 400);
  const std::string metrics = http_->Get("/metrics")->body;
  EXPECT_THAT(metrics, Not(HasSubstr("quantgate_findings_total{")));
  EXPECT_THAT(metrics, Not(HasSubstr("quantgate_verdicts_total{")));
  EXPECT_THAT(metrics, HasSubstr("quantgate_store_errors_total{code=\"FAILED_PRECONDITION\"} 1\n"));
}

struct Reader {
  const char* script;
  int status;
  const char* message;
};

TEST_F(HttpTest, WhatReadingAModelComesTo) {
  const int folders = UploadFolders();
  for (const Reader& reader : std::vector<Reader>{
           {"echo 'error[FI001]: m.onnx: is cut' >&2\nexit 2\n", 400, "FI001: m.onnx: is cut"},
           {"echo 'error[FI002]: m.onnx: too large' >&2\nexit 2\n", 413, "FI002: m.onnx: too large"},
           {"echo nothing that is known >&2\nexit 2\n", 400, "the model cannot be read"},
           {"case $* in *--self-contained*) echo 'error[INVALID_ARGUMENT]: its weights are not here' >&2;; esac\n"
            "exit 2\n",
            400, "its weights are not here"},
           {"exit 3\n", 500, "the model cannot be read"},
           {"kill -SEGV $$\n", 500, "ended by signal 11"},
           {"kill -XCPU $$\n", 413, "import_cpu_time"},
           {"exit 0\n", 500, "info.json"},
           {"yes 'error[FI001]: again' >&2 &\nsleep 0.2; kill $!\nexit 2\n", 400, "FI001: again"}}) {
    StartHttp(reader.script);
    const auto result = http_->Post("/v1/models:check?path=m.onnx", kOwnPage, "x", "application/octet-stream");
    EXPECT_THAT(Message(result, reader.status), HasSubstr(reader.message)) << reader.script;
    EXPECT_TRUE(Eventually([&] {
      const std::string metrics = http_->Get("/metrics")->body;
      return metrics.find("quantgate_uploads_total{code=") != std::string::npos &&
             metrics.find(absl::StrCat("quantgate_http_answers_total{code=\"", reader.status, "\"} 1")) !=
                 std::string::npos;
    })) << reader.script;
    server_.reset();
  }
  EXPECT_EQ(UploadFolders(), folders);
}

TEST_F(HttpTest, AReaderHangsAndItsClientGoesAway) {
  StartHttp("sleep 600\n");
  const int folders = UploadFolders();
  http_->set_read_timeout(1);
  EXPECT_FALSE(http_->Post("/v1/models:check", kOwnPage, "x", "application/octet-stream"));
  http_->stop();
  EXPECT_TRUE(Eventually([&] { return UploadFolders() == folders; }));
  // And one that waits while the server ends.
  std::thread client([&] {
    httplib::Client other("http://" + server_->http_address());
    (void)other.Post("/v1/models:check", kOwnPage, "x", "application/octet-stream");
  });
  EXPECT_TRUE(Eventually([&] { return UploadFolders() == folders + 1; }));
  server_->Drain(absl::Seconds(1));
  client.join();
  EXPECT_EQ(UploadFolders(), folders);
}

TEST_F(HttpTest, ManyModelsAtOnceWait) {
  StartHttp("sleep 1\nexit 3\n");
  const auto statuses = [&](int count) {
    std::vector<std::thread> clients;
    std::atomic<int> read{0}, busy{0};
    for (int i = 0; i < count; ++i) {
      clients.emplace_back([&] {
        httplib::Client client("http://" + server_->http_address());
        client.set_read_timeout(60);
        const auto result = client.Post("/v1/models:check", kOwnPage, "x", "application/octet-stream");
        read += result && result->status == 500 ? 1 : 0;
        busy += result && result->status == 503 && result->has_header("Retry-After") ? 1 : 0;
      });
    }
    for (std::thread& client : clients) client.join();
    return std::pair<int, int>(read, busy);
  };
  EXPECT_EQ(statuses(6), std::make_pair(6, 0));
  const auto [read, busy] = statuses(16);
  EXPECT_GE(read, 8);
  EXPECT_GT(busy, 0);
  EXPECT_EQ(read + busy, 16);
}

// More than there are threads (80) and places behind them (64) wait in the kernel.
TEST_F(HttpTest, ManyConnectAtOnce) {
  StartHttp();
  std::vector<int> busy = SendHalfBodies(64), waiting;
  for (int i = 0; i < 16 + 64 + 60; ++i) waiting.push_back(StartToConnect(SOCK_NONBLOCK));
  EXPECT_TRUE(
      Eventually([&] { return std::all_of(waiting.begin(), waiting.end(), [](int fd) { return IsConnected(fd); }); }));
  for (const int fd : busy) close(fd);
  for (const int fd : waiting) close(fd);
}

// As many as may be at work at a time, and more.
TEST_F(HttpTest, SlowBodiesDoNotHoldAProbeUp) {
  StartHttp();
  const std::vector<int> slow = SendHalfBodies(100);
  http_->set_read_timeout(8);
  for (const char* probe : {"/healthz", "/metrics"}) {
    const auto answer = http_->Get(probe);
    ASSERT_TRUE(answer) << probe << ": " << httplib::to_string(answer.error());
    EXPECT_EQ(answer->status, 200);
  }
  const auto refused = http_->Get("/v1/rules");
  EXPECT_THAT(Message(refused, 503), HasSubstr("max_http_requests=64"));
  EXPECT_TRUE(refused->has_header("Retry-After"));
  for (const int fd : slow) close(fd);
  EXPECT_TRUE(Eventually([&] { return http_->Get("/v1/rules")->status == 200; }));
}

// Those that are refused are read on for a moment, on the threads that probes need.
TEST_F(HttpTest, RefusedBodiesDoNotHoldAProbeUp) {
  StartHttp();
  const std::vector<int> refused = SendHalfBodies(400);
  http_->set_read_timeout(5);
  const auto answer = http_->Get("/healthz");
  ASSERT_TRUE(answer) << httplib::to_string(answer.error());
  EXPECT_EQ(answer->status, 200);
  for (const int fd : refused) close(fd);
}

// What is asked meanwhile was once asked of services that were gone.
TEST_F(HttpTest, CallsInFlightAreAnsweredWhileTheServerDrains) {
  options_.limits.max_concurrent = 2;
  StartHttp();
  const int started = fake::Started();
  std::thread grpc_call([channel = grpc::CreateChannel(server_->address(), grpc::InsecureChannelCredentials())] {
    grpc::ClientContext context;
    v1::ValidateResponse response;
    const grpc::Status status = v1::ValidationService::NewStub(channel)->Validate(&context, Request("gate"), &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
  });
  std::thread http_call([&] {
    Body(httplib::Client("http://" + server_->http_address())
             .Post("/v1/graphs:validate", R"({"graph":{"name":"gate"}})", "application/json"),
         200);
  });
  EXPECT_TRUE(Eventually([&] { return fake::Started() == started + 2; }));
  std::thread drain([&] { server_->Drain(absl::Seconds(30)); });
  EXPECT_TRUE(Eventually([&] { return http_->Get("/healthz")->status == 503; }));
  EXPECT_EQ(http_->Get("/metrics")->status, 200);
  const auto refused = http_->Get("/v1/reports");
  EXPECT_THAT(Message(refused, 503), HasSubstr("shutting down"));
  EXPECT_TRUE(refused->has_header("Retry-After"));
  fake::OpenGate();
  grpc_call.join();
  http_call.join();
  drain.join();
}

TEST_F(HttpTest, AModelThatIsOnItsWayIsCheckedWhileTheServerDrains) {
  StartHttp(kTakes);
  const int folders = UploadFolders();
  v1::Graph graph;
  graph.set_name("g");
  const std::string bytes = graph.SerializeAsString();
  const int fd = Connect();
  const std::string head = absl::StrCat(
      "POST /v1/models:check HTTP/1.1\r\nHost: localhost\r\nX-QuantGate-Request: 1\r\nConnection: close\r\n"
      "Content-Length: ",
      bytes.size(), "\r\n\r\n");
  (void)send(fd, head.data(), head.size(), MSG_NOSIGNAL);
  EXPECT_TRUE(Eventually([&] { return UploadFolders() == folders + 1; }));
  std::thread drain([&] { server_->Drain(absl::Seconds(30)); });
  EXPECT_TRUE(Eventually([&] { return http_->Get("/healthz")->status == 503; }));
  (void)send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  EXPECT_THAT(Received(fd), HasSubstr("HTTP/1.1 200 "));
  drain.join();
  EXPECT_EQ(UploadFolders(), folders);
}

// A body that does not go on would have 15 seconds.
TEST_F(HttpTest, WhatDoesNotEndIsCutWhenTheDrainEnds) {
  StartHttp();
  const std::vector<int> slow = SendHalfBodies(3);
  const int started = fake::Started();
  std::thread call([&] {
    const auto result = httplib::Client("http://" + server_->http_address())
                            .Post("/v1/graphs:validate", R"({"graph":{"name":"slow"}})", "application/json");
    EXPECT_TRUE(!result || result->status != 200);
  });
  EXPECT_TRUE(Eventually([&] { return fake::Started() == started + 1; }));
  const absl::Time start = absl::Now();
  server_->Drain(absl::Milliseconds(300));
  EXPECT_LT(absl::Now() - start, absl::Seconds(10));
  call.join();
  for (const int fd : slow) close(fd);
}

TEST_F(HttpTest, SlowUploadsKeepNobodyOut) {
  StartHttp(kTakes);
  const int folders = UploadFolders();
  std::vector<int> slow;
  for (int i = 0; i < 4; ++i) {
    slow.push_back(Connect());
    const std::string head =
        "POST /v1/models:check HTTP/1.1\r\nHost: localhost\r\nX-QuantGate-Request: 1\r\nContent-Length: 1000\r\n\r\nx";
    (void)send(slow.back(), head.data(), head.size(), MSG_NOSIGNAL);
  }
  EXPECT_TRUE(Eventually([&] { return UploadFolders() == folders + 4; }));
  v1::Graph graph;
  graph.set_name("g");
  Body(http_->Post("/v1/models:check?target=good/S1", kOwnPage, graph.SerializeAsString(), "application/octet-stream"),
       200);
  for (const int fd : slow) close(fd);
}

TEST_F(HttpTest, WithoutAProgramModelsAreNotTaken) {
  StartHttp();
  EXPECT_EQ(Body(http_->Post("/v1/models:check", kOwnPage, "x", "application/octet-stream"), 501)["code"], 12);
  EXPECT_EQ(Body(http_->Get("/v1/server"), 200)["maxUploadBytes"], 0);
}

TEST(Fields, FromText) {
  v1::ValidateOptions options;
  EXPECT_TRUE(
      SetFields(
          options,
          {{"targets", "a"}, {"targets", "b"}, {"mode", "WARN"}, {"skipCorrections", "true"}, {"model.path", "m"}})
          .ok());
  EXPECT_EQ(options.targets_size(), 2);
  EXPECT_EQ(options.mode(), v1::Report::WARN);
  EXPECT_TRUE(options.skip_corrections());
  EXPECT_EQ(options.model().path(), "m");
  v1::GetTrendsRequest trends;
  EXPECT_TRUE(SetFields(trends, {{"startTime", "2026-01-31T01:00:00+01:00"}}).ok());
  EXPECT_EQ(trends.start_time().seconds(), 1769817600);
}

TEST(Fields, WhatIsNoValue) {
  using Query = std::vector<std::pair<std::string, std::string>>;
  const auto said = [](const Query& query) {
    v1::ValidateOptions options;
    const absl::Status status = SetFields(options, query);
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << query[0].first;
    return std::string(status.message());
  };
  for (const char* path : {"", ".", "nothing", "model", "model.", "model.nothing", "targets.x"}) said({{path, "x"}});
  EXPECT_EQ(said({{"mode", "LOUD"}}), "mode: 'LOUD' is no Mode (STRICT, WARN)");
  EXPECT_EQ(said({{"skipCorrections", "perhaps"}}), "skipCorrections: 'perhaps' is no true or false");
  // Of two values one would be forgotten, under whichever of its names it comes.
  EXPECT_EQ(said({{"mode", "WARN"}, {"mode", "STRICT"}}), "mode: is given twice");
  EXPECT_EQ(said({{"skipCorrections", "false"}, {"skip_corrections", "true"}}), "skip_corrections: is given twice");
  v1::GetTrendsRequest trends;
  EXPECT_EQ(SetFields(trends, {{"startTime", "x"}}).message(),
            "startTime: 'x' is no time such as 2026-01-31T00:00:00Z");
}

TEST(Hosts, AddressesAndNames) {
  EXPECT_TRUE(HostAllowed("127.0.0.1:80", {}));
  EXPECT_TRUE(HostAllowed("[::1]:80", {}));
  EXPECT_TRUE(HostAllowed("LOCALHOST", {}));
  EXPECT_TRUE(HostAllowed("Gate.Example:1", {"gate.example"}));
  for (const char* host : {"", "evil", "127.0.0.1.evil", "localhost.evil", "gate.example."}) {
    EXPECT_EQ(HostAllowed(host, {"gate.example"}), false) << host;
  }
}

}  // namespace
}  // namespace quantgate::server
