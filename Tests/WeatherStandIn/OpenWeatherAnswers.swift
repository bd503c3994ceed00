import Foundation

extension FakeProvider {
  func openWeather(_ asked: ReceivedRequest) -> Answer {
    if let refusal = refusal(of: asked.query["appid"]) { return refusal }
    guard let latitude = asked.number("lat"), let longitude = asked.number("lon") else {
      return Answer(status: 400, json: ["cod": "400", "message": "Nothing to geocode"])
    }
    let sky = sky
    // Without `units`, temperatures are in Kelvin.
    let temperature = asked.query["units"] == "metric" ? sky.celsius : sky.celsius + 273.15
    return Answer(json: [
      "coord": ["lon": longitude, "lat": latitude],
      "weather": [
        [
          "id": sky.id, "main": sky.main, "description": sky.main.lowercased(),
          "icon": "10" + (sky.isDay ? "d" : "n"),
        ]
      ],
      "base": "stations", "main": ["temp": temperature, "pressure": 1015, "humidity": 64],
      "visibility": 10000, "wind": ["speed": 0.62, "deg": 349], "clouds": ["all": 100],
      "dt": 1_661_870_592, "timezone": 32400, "id": 1_835_848, "name": "Seoul", "cod": 200,
    ])
  }

  func openWeatherSearch(_ asked: ReceivedRequest) -> Answer {
    if let refusal = refusal(of: asked.query["appid"]) { return refusal }
    let name = asked.query["q"]?.split(separator: ",").first.map(String.init)
    return Answer(
      json: matches(name, limit: asked.query["limit"]).map { place in
        var item: [String: Any] = [
          "name": place.name, "lat": place.latitude, "lon": place.longitude,
          "country": place.countryCode ?? "", "local_names": ["ko": "서울", "en": place.name],
        ]
        item["state"] = place.region
        return item
      })
  }

  private func refusal(of key: String?) -> Answer? {
    if let key, !key.isEmpty, key == acceptedKey ?? key { return nil }
    let words = "Invalid API key. Please see https://openweathermap.org/faq#error401 for more info."
    return Answer(status: 401, json: ["cod": 401, "message": words])
  }
}
